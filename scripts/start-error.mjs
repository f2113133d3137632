/** An error that the user can correct; printed without a stack. */
export class StartError extends Error {}

/** Runs a script's main function, whose result is the exit code, and prints its error. */
export async function runMain(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    process.stderr.write(`${error instanceof StartError ? error.message : error.stack}\n`);
    process.exitCode = 1;
  }
}
