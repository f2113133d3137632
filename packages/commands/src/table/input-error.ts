type Place = ErrorOptions & { readonly label?: string };

/** The input for a field isn't valid. */
export class InputError extends Error {
  override readonly name = "InputError";
  /** The argument or option: `<merchant>`, `--note`; "" for the whole request. */
  readonly label: string;
  readonly problem: string;
  constructor(problem: string, { label = "", ...options }: Place) {
    super(label === "" ? problem : `${label}: ${problem}`, options);
    this.label = label;
    this.problem = problem;
  }
}
