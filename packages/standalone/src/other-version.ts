/** The data folder was created by another checkout. */
export class OtherVersionError extends Error {
  constructor(folder: string) {
    super(
      `The data in ${folder} was made by another version of Disburse. Delete that folder, or set DATA_DIR to another one, to begin anew.`,
    );
  }
}
