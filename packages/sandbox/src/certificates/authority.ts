// What @peculiar/x509 is built on asks for it.
import "reflect-metadata";
import { KeyObject, randomBytes } from "node:crypto";
import { spiffeId } from "@disburse/chassis/identity/service-tokens.ts";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

/** A certificate and its private key, PEM. */
export type IssuedCertificate = { readonly cert: string; readonly key: string };

/** Makes the certificates of a deployment's services. */
export type Authority = Awaited<ReturnType<typeof createAuthority>>;

/** From when and until when a certificate is good. */
export type Validity = { readonly notBefore: Date; readonly notAfter: Date };

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const makeKeys = () => crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
/** Positive, and of 16 bytes. */
const serialNumber = () => `01${randomBytes(15).toString("hex")}`;

const pemOf = (key: CryptoKey): string =>
  KeyObject.from(key).export({ type: "pkcs8", format: "pem" }).toString();

/**
 * A new authority. Its key is kept nowhere: who has it could make a certificate of any service, so
 * certificates are renewed by another authority beside the one of before.
 */
export async function createAuthority(validity: Validity) {
  const keys = await makeKeys();
  // In its name, for OpenSSL finds an authority by that: two of one name are taken for each other.
  const serial = serialNumber();
  const root = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serial,
    name: `CN=Disburse services ${serial}`,
    ...validity,
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });
  return {
    /** What its certificates are believed by. */
    cert: `${root.toString("pem")}\n`,
    /** A certificate of a service, named by its SPIFFE ID, to serve and to call. */
    issue: async (
      trustDomain: string,
      service: string,
      own: Validity = validity,
    ): Promise<IssuedCertificate> => {
      const { publicKey, privateKey } = await makeKeys();
      const certificate = await X509CertificateGenerator.create({
        serialNumber: serialNumber(),
        subject: `CN=${service}`,
        issuer: root.subject,
        ...own,
        signingAlgorithm: algorithm,
        signingKey: keys.privateKey,
        publicKey,
        extensions: [
          new BasicConstraintsExtension(false, undefined, true),
          new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
          new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
          new SubjectAlternativeNameExtension([
            { type: "url", value: spiffeId(trustDomain, service) },
            // What tools that know hosts alone look for; our own clients do not.
            ...["localhost", service].map((value) => ({ type: "dns", value }) as const),
          ]),
        ],
      });
      return { cert: `${certificate.toString("pem")}\n`, key: pemOf(privateKey) };
    },
  };
}
