/** Signs with the key of one wallet, from a keystore file or a remote signer. */
export type Signer = {
  /** Rejects if the signer is unreachable. Throws `SettingsError` if it lacks the wallet's key. */
  check(): Promise<void>;
  /**
   * Signs the bytes of a transaction's message and returns the Ed25519 signature in 64 bytes.
   * Rejects if it cannot. The caller checks the signature.
   */
  sign(message: Uint8Array): Promise<Uint8Array>;
};
