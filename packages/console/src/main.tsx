import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createConsoleRouter } from "./routes/router.tsx";
import { createClient } from "./shell/client.ts";
import { applyTheme, storedTheme } from "./shell/theme.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/parts.css";
import "./styles/trace.css";
import "./styles/forms.css";

applyTheme(storedTheme());

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no root");

const client = createClient();
const router = createConsoleRouter(client);

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
