/** Thrown if another checkout created the data folder. */
export class OtherVersionError extends Error {
  constructor(folder: string) {
    super(
      `The data in ${folder} was created by another version of Disburse. To start again, delete that folder or set DATA_DIR to another one.`,
    );
  }
}
