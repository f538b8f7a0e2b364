/** What every cloned database holds: an owner of organization, workspace `main` and project `default`. */
export const FIRST_START = {
  organization: 'main',
  workspace: 'main',
  project: 'default',
  email: 'owner@localhost',
  username: 'owner',
  password: 'correct horse battery staple',
  apiKey: `dd_${'o'.repeat(40)}`,
};
