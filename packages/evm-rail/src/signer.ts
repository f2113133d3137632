import type { Hex } from "viem";

/** Signs with the key of one wallet; a keystore file or a remote signer. */
export type Signer = {
  /** Rejects where it is away, or does not have the wallet's key: `SettingsError`. */
  check(): Promise<void>;
  /**
   * Signs the keccak-256 of the bytes: r, s and v in 65 bytes. Rejects where it cannot. What it
   * answers is not believed: the signature has to recover the wallet's address.
   */
  sign(unsigned: Hex): Promise<Hex>;
};
