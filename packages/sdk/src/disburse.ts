import { createCaller } from "./caller.ts";
import { type ClientOptions, clientSettings } from "./client-options.ts";
import { Resources } from "./gen/resources.ts";

/**
 * A merchant's client, with one method for each operation, grouped by resource. It holds no
 * connection and needs no closing: create one and share it.
 */
export class Disburse extends Resources {
  /** @throws {TypeError} if an option is invalid. */
  constructor(options: ClientOptions) {
    super(createCaller(clientSettings(options)));
  }
}
