/** A data folder that another checkout has made. */
export class OtherVersionError extends Error {
  constructor(folder: string) {
    super(
      `The data in ${folder} was made by another version of Disburse. Delete that folder, or set DATA_DIR to another one, to begin anew.`,
    );
  }
}
