import { createCaller } from "./caller.ts";
import { type ClientOptions, clientSettings } from "./client-options.ts";
import { Resources } from "./gen/resources.ts";

/**
 * A merchant's client of Disburse: one method for each operation, by resource. It holds no
 * connection and need not be closed; make one and use it everywhere.
 */
export class Disburse extends Resources {
  /** Throws a `TypeError` where an option cannot be. */
  constructor(options: ClientOptions) {
    super(createCaller(clientSettings(options)));
  }
}
