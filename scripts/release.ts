/** `make release`: checks that a version can be released, and prints the commands that release it. Changes nothing. */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { releaseProblems } from './releaseProblems.ts';

const { values } = parseArgs({ options: { root: { type: 'string' } } });
const { version, problems } = releaseProblems(values.root ?? fileURLToPath(new URL('..', import.meta.url)));
if (problems.length > 0) {
  console.error(`Version ${version} cannot be released yet:`);
  for (const problem of problems) console.error(`- ${problem}`);
  process.exitCode = 1;
} else {
  console.log(`Version ${version} can be released.

A release is a tag on main. When the tag arrives, .github/workflows/release.yml
1. runs the checks and the tests of that commit,
2. builds the image and pushes it as tearsheet:${version},
3. packages the chart and pushes it as charts/tearsheet, version ${version},
4. publishes the clients as @tearsheet/client ${version} on npm and tearsheet-client ${version} on PyPI,
5. creates the GitHub release with the section of CHANGELOG.md as its notes.

Before you tag, run the tests that the workflow does not run:

    make test && make e2e

Then release:

    git tag -a v${version} -m 'Tearsheet ${version}'
    git push origin main v${version}

If step 4 fails, for example because the registries do not know the workflow yet, publish the clients from this commit.
NODE_AUTH_TOKEN and UV_PUBLISH_TOKEN are tokens of npm and PyPI:

    make publish-npm REPOSITORY=https://github.com/OWNER/NAME
    make publish-pypi REPOSITORY=https://github.com/OWNER/NAME`);
}
