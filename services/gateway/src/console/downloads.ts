import type { DescMethodUnary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { codeToHttpStatus } from "@connectrpc/connect/protocol-connect";
import {
  ComplianceReviewService,
  type ExportAlertResponse,
  ExportAlertRequest_Format as Format,
  type GetAlertFileResponse,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import type { PageAnswer } from "../http/answer.ts";
import type { RouterContext } from "../http/observe.ts";
import type { PublicRoute } from "../http/static.ts";
import { consolePath } from "../sessions/rules/session.ts";
import { asPerson, type OperatorProxyDeps } from "./operator-proxy.ts";
import { messagePage } from "./pages.ts";

type Downloaded = {
  readonly name: string;
  readonly mediaType: string;
  readonly content: Uint8Array;
};

type Download = {
  readonly method: DescMethodUnary;
  readonly request: object;
  readonly fileOf: (response: object) => Downloaded;
};

const review = ComplianceReviewService.method;

const exportAs = (alertId = "", format: Format): Download => ({
  method: review.exportAlert,
  request: { alertId, format },
  fileOf: (response) => response as ExportAlertResponse,
});

/** The RPCs whose response is a file, by path. */
const downloads: Readonly<Record<string, (id?: string) => Download>> = {
  "alert-files/:id": (id) => ({
    method: review.getAlertFile,
    request: { fileId: id },
    fileOf: (response) => {
      const { file, content } = response as GetAlertFileResponse;
      return { name: file?.name ?? "", mediaType: file?.mediaType ?? "", content };
    },
  }),
  "alerts/:id/case.json": (id) => exportAs(id, Format.JSON),
  "alerts/:id/case.pdf": (id) => exportAs(id, Format.PDF),
};

/**
 * Serves operators' files. A browser saves them and never shows them. Needs no CSRF token, because
 * the session's cookie is not sent with requests of other sites.
 */
export function downloadRoutes({ sessions, forward }: OperatorProxyDeps): readonly PublicRoute[] {
  const call = forward("compliance", ComplianceReviewService);
  return Object.entries(downloads).map(([path, downloadOf]) => ({
    path: `${consolePath}download/${path}`,
    answer: async (ctx: RouterContext): Promise<PageAnswer> => {
      const { method, request, fileOf } = downloadOf(ctx.params.id);
      const gone = new AbortController();
      ctx.res.once("close", () => gone.abort());
      const options = { signal: gone.signal, onHeader: () => undefined };
      try {
        const read = () => call(method, request, options);
        return savedAnswer(fileOf(await asPerson(ctx, sessions, "read", read)));
      } catch (error) {
        if (error instanceof ConnectError) return failurePage(error);
        throw error;
      }
    },
  }));
}

/** Has the name in RFC 8187 form, because it may contain any letter. */
function savedAnswer({ name, mediaType, content }: Downloaded): PageAnswer {
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, percentEncoded);
  const headers = {
    "Content-Type": mediaType === "text/plain" ? "text/plain; charset=utf-8" : mediaType,
    "Content-Disposition": `attachment; filename*=UTF-8''${encoded}`,
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
  };
  return { status: 200, headers, body: Buffer.from(content) };
}

const percentEncoded = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;

const failures: Partial<Record<Code, string>> = {
  [Code.Unauthenticated]: "Your session has ended.",
  [Code.PermissionDenied]: "Your roles don't permit this download.",
  [Code.NotFound]: "There is no such file.",
};

function failurePage({ code }: ConnectError): PageAnswer {
  const message = failures[code] ?? "The file can't be read at the moment. Try again.";
  return messagePage(codeToHttpStatus(code), "No download", message);
}
