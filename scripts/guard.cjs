'use strict';

/**
 * Prints the path of the Node 24 that runs Drydock, or says in one sentence why Drydock cannot run here.
 *
 * npm installs that Node 24 as a package. npm 11 links it into node_modules/.bin and npm 10 does not: there `node` is the
 * system's, of whatever version. So the scripts of package.json ask this file which one to run. The file uses only what Node 12
 * understands.
 */
const spawnSync = require('child_process').spawnSync;
const existsSync = require('fs').existsSync;
const path = require('path');

const MAJOR = 24;
const PROCESSORS = ['x64', 'arm64'];

function isRightNode(version) {
  return Number(/^v?(\d+)\./.exec(version)[1]) === MAJOR;
}

/** @returns {{ node?: string, problem?: string }} one of the two */
function chooseNode(machine) {
  if (machine.platform !== 'linux' || PROCESSORS.indexOf(machine.arch) < 0) {
    return {
      problem:
        'Drydock runs on Linux with an x64 or arm64 processor; this is ' +
        machine.platform +
        ' on ' +
        machine.arch +
        '. Run it in a container instead: see docs/operate/docker.md.',
    };
  }
  const modules = path.join(machine.root, 'node_modules');
  if (!existsSync(path.join(modules, 'pg'))) {
    return {
      problem:
        'The packages that Drydock needs are not installed. Run "npm ci" in ' +
        machine.root +
        ', then this command again.',
    };
  }
  const bundled = path.join(modules, 'node-linux-' + machine.arch, 'bin', 'node');
  const answer = existsSync(bundled) ? spawnSync(bundled, ['--version'], { encoding: 'utf8' }) : undefined;
  if (answer && answer.status === 0) return { node: bundled };
  if (isRightNode(machine.version)) return { node: machine.execPath };
  const reason = answer
    ? 'the one that npm installed does not run on this machine, since that takes glibc 2.28 or later. Install Node '
    : 'npm has not installed the one that comes with Drydock. Run "npm ci" without --omit=optional, or install Node ';
  return {
    problem:
      'Drydock needs Node ' + MAJOR + '; this is Node ' + machine.version + ', and ' + reason + MAJOR + '.',
  };
}

function main() {
  const chosen = chooseNode({
    platform: process.platform,
    arch: process.arch,
    version: process.version,
    execPath: process.execPath,
    root: path.dirname(__dirname),
  });
  if (chosen.node) console.log(chosen.node);
  else {
    console.error(chosen.problem);
    process.exitCode = 1;
  }
}

module.exports = { chooseNode: chooseNode };
if (require.main === module) main();
