/** The style of the provider's pages, which are plain forms without a script. */

const style = `body { font: 16px/1.5 system-ui, sans-serif; max-width: 24rem; margin: 4rem auto; padding: 0 1rem }
label, input, button { display: block; width: 100%; box-sizing: border-box }
label { margin-top: 1rem } input, button { font: inherit; padding: .5rem } button { margin-top: 1.5rem }
[role=alert] { border-left: 4px solid #b00020; padding-left: .75rem }`;

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)} - Disburse sandbox</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`;
}

export function signInPage(client: string, problem = ""): string {
  const alert = problem === "" ? "" : `<p role="alert">${escapeHtml(problem)}</p>\n`;
  return page(
    "Sign in",
    `${alert}<p>to ${escapeHtml(client)}. Names and passwords are in the sandbox's file.</p>
<form method="post">
<label for="name">Name</label>
<input id="name" name="name" autocomplete="username" autocapitalize="none" required autofocus>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button type="submit">Sign in</button>
</form>`,
  );
}

export function messagePage(title: string, message: string): string {
  return page(title, `<p>${escapeHtml(message)}</p>`);
}
