/** `npm run reset-owner`: a new password and API key for the first owner while the server runs or is stopped. */
import { resetOwner } from '../accounts/reset-owner.ts';
import { migrate } from '../platform/db/migrate.ts';
import { withDatabase } from '../platform/db/open-database.ts';
import { runCommand } from './command.ts';

await runCommand(async (config, log) => {
  const owner = await withDatabase(config, log, async ({ db, url }) => {
    await migrate({ url, log });
    return resetOwner(db, config.init.username);
  });
  console.log(
    [
      '',
      `  ${owner.username} has been signed out everywhere. What was generated is shown only now:`,
      `    e-mail          ${owner.email}`,
      `    password        ${owner.password}`,
      `    API key         ${owner.apiKey}`,
      '',
    ].join('\n'),
  );
});
