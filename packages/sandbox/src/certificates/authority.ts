// This import is required by a dependency of @peculiar/x509.
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

export type IssuedCertificate = { readonly cert: string; readonly key: string };

export type Authority = Awaited<ReturnType<typeof createAuthority>>;

export type Validity = { readonly notBefore: Date; readonly notAfter: Date };

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const makeKeys = () => crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
/** Returns a serial number of 16 bytes. RFC 5280 requires a positive number. */
const serialNumber = () => `01${randomBytes(15).toString("hex")}`;

const pemOf = (key: CryptoKey): string =>
  KeyObject.from(key).export({ type: "pkcs8", format: "pem" }).toString();

/**
 * Creates an authority and never stores its key, because anyone with the key could impersonate any
 * service. To renew certificates, create another authority and trust both.
 */
export async function createAuthority(validity: Validity) {
  const keys = await makeKeys();
  // The serial number is part of the authority's name. OpenSSL finds authorities by name and would
  // confuse two with the same name.
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
    cert: `${root.toString("pem")}\n`,
    /**
     * Issues a certificate for a service's SPIFFE ID. The service uses the certificate as server
     * and as client.
     */
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
            // Host names are included for standard tools, which check them. Our own clients check
            // the SPIFFE ID instead.
            ...["localhost", service].map((value) => ({ type: "dns", value }) as const),
          ]),
        ],
      });
      return { cert: `${certificate.toString("pem")}\n`, key: pemOf(privateKey) };
    },
  };
}
