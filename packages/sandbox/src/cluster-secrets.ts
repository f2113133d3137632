import type { ClusterConfig } from "./config.ts";

/** The values of a Secret as plain text, by key. Kubernetes encodes each one as base64. */
type SecretData = Readonly<Record<string, string>>;

/** A long time limit, because the API server of a starting cluster is slow. */
const timeoutMs = 10_000;

type SecretObject = {
  readonly metadata: { readonly name: string };
  readonly data?: SecretData;
};

export function openClusterSecrets(config: ClusterConfig) {
  const base = `${config.KUBERNETES_API}/api/v1/namespaces/${config.KUBERNETES_NAMESPACE}/secrets`;
  const request = async (method: string, path: string, expected: number[], object?: object) => {
    const response = await fetch(base + path, {
      method,
      headers: {
        authorization: `Bearer ${config.KUBERNETES_TOKEN}`,
        "content-type": "application/json",
      },
      signal: AbortSignal.timeout(timeoutMs),
      ...(object && { body: JSON.stringify(object) }),
    });
    if (!expected.includes(response.status)) {
      // The error omits the response's body, which could contain secrets from the request.
      throw new Error(`${method} ${base}${path}: HTTP status ${response.status}`);
    }
    return response;
  };
  const objectOf = (name: string, data: SecretData) => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name },
    stringData: data,
  });
  const create = async (name: string, data: SecretData): Promise<boolean> =>
    (await request("POST", "", [201, 409], objectOf(name, data))).status === 201;
  return {
    /** Returns false if the Secret exists, and leaves it unchanged. */
    create,
    /** Returns undefined if the Secret doesn't exist. */
    read: async (name: string): Promise<SecretData | undefined> => {
      const response = await request("GET", `/${name}`, [200, 404]);
      if (response.status === 404) return undefined;
      const { data = {} } = (await response.json()) as SecretObject;
      return Object.fromEntries(
        Object.entries(data).map(([key, text]) => [key, Buffer.from(text, "base64").toString()]),
      );
    },
    write: async (name: string, data: SecretData): Promise<void> => {
      if (await create(name, data)) return;
      await request("PUT", `/${name}`, [200], objectOf(name, data));
    },
  };
}
