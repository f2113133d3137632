import org.openapitools.client.ApiClient;

public final class Main {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.setBasePath(System.getenv("DISBURSE_BASE_URL"));
    client.setBearerToken(System.getenv("DISBURSE_API_KEY"));
    new Payouts(client).payBoth();
    // OkHttp's threads would keep the process alive for minutes.
    System.exit(0);
  }
}
