// A payout to a bank account and one to a wallet, by openapi-generator's Go client.
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	openapi "disburse.example/generated/client"
)

const amounts = "string"

var ctx = context.WithValue(context.Background(), openapi.ContextAccessToken, os.Getenv("DISBURSE_API_KEY"))

// must returns a response, or ends with the error's body.
func must[T any](value *T, response *http.Response, err error) *T {
	if err == nil {
		return value
	}
	if response != nil {
		body, _ := io.ReadAll(response.Body)
		panic(fmt.Sprintf("%v: %s", err, body))
	}
	panic(err)
}

func createBankAccount(api *openapi.APIClient) string {
	code, number := "91", "9820012345"
	account := openapi.NewFiatBeneficiaryInrRequestWithDefaults()
	account.SetBeneficiaryAccountType("Individual")
	account.SetBeneficiaryFirstName("Asha")
	account.SetBeneficiaryLastName("Rao")
	account.SetDestinationCurrency("INR")
	account.SetTransferType("LOCAL")
	account.SetDestinationCountry("IN")
	account.SetCurrencyType("Fiat")
	account.SetRoutingCodeType1("IFSC")
	account.SetRoutingCodeValue1("HDFC0000001")
	account.SetBeneficiaryAccountNumber("50100123456789")
	account.SetBeneficiaryAlias("asha")
	account.SetBeneficiaryContactCountryCode(openapi.FiatBeneficiaryUsdRequestBeneficiaryContactCountryCode{String: &code})
	account.SetBeneficiaryContactNumber(openapi.FiatBeneficiaryUsdRequestBeneficiaryContactNumber{String: &number})
	account.SetBeneficiaryAddress("1 Marine Drive")
	account.SetBeneficiaryCity("Mumbai")
	account.SetBeneficiaryState("Maharashtra")
	account.SetBeneficiaryPostcode("400020")
	account.SetBeneficiaryCountryCode("IN")
	account.SetBeneficiaryBankName("First Bank")
	account.SetBeneficiaryBankAccountType("Personal Savings")
	account.SetBeneficiaryBankAddress("2 Fort Road")
	account.SetBeneficiaryBankCity("Mumbai")
	account.SetBeneficiaryBankState("Maharashtra")
	account.SetBeneficiaryBankPostcode("400001")
	account.SetBeneficiaryBankCountryCode("IN")
	body := openapi.FiatBeneficiaryInrRequestAsCreateFiatBeneficiaryRequest(account)
	call := api.BeneficiariesAPI.CreateFiatBeneficiary(ctx).DisburseAmounts(amounts).IdempotencyKey(rand.Text())
	created := must(call.CreateFiatBeneficiaryRequest(body).Execute())
	return created.Data.BeneficiaryId
}

func createWallet(api *openapi.APIClient) string {
	wallet := openapi.NewCryptoBeneficiaryIndividualRequestWithDefaults()
	wallet.SetBeneficiaryAccountType("Individual")
	wallet.SetBeneficiaryName("Jane Doe")
	wallet.SetBeneficiaryDateOfBirth("1985-04-12")
	wallet.SetBeneficiaryDocumentType("PASSPORT")
	wallet.SetBeneficiaryDocumentId("X1234567")
	wallet.SetBeneficiaryAddress("1 Main Street")
	wallet.SetBeneficiaryCity("New York")
	wallet.SetBeneficiaryState("NY")
	wallet.SetBeneficiaryPostcode("10001")
	wallet.SetBeneficiaryCountryCode("US")
	wallet.SetDestinationCurrency("USDC_ETH")
	wallet.SetRoutingCodeType1("NETWORK")
	wallet.SetRoutingCodeValue1("ETHEREUM")
	wallet.SetBeneficiaryAccountNumber("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")
	wallet.SetBeneficiaryWalletCustodyProvider("OTHERS")
	wallet.SetBeneficiaryWalletCustodyProviderName("Paper")
	body := openapi.CryptoBeneficiaryIndividualRequestAsCreateCryptoBeneficiaryRequest(wallet)
	call := api.BeneficiariesAPI.CreateCryptoBeneficiary(ctx).DisburseAmounts(amounts).IdempotencyKey(rand.Text())
	created := must(call.CreateCryptoBeneficiaryRequest(body).Execute())
	return created.Data.BeneficiaryId
}

func equal(actual, expected string) {
	if actual != expected {
		panic(fmt.Sprintf("expected %s, got %s", expected, actual))
	}
}

func pay(api *openapi.APIClient, kind string, terms *openapi.RequestForQuoteRequest) openapi.Payout {
	reference := os.Getenv("DISBURSE_CLIENT") + "-" + kind
	ask := api.QuotesAPI.RequestQuote(ctx).DisburseAmounts(amounts).IdempotencyKey(rand.Text())
	quote := must(ask.RequestForQuoteRequest(*terms).Execute()).Data
	order := openapi.NewExecutePayoutRequest(quote.Id)
	order.SetReferenceId(reference)
	execute := api.PayoutsAPI.ExecutePayout(ctx).DisburseAmounts(amounts).IdempotencyKey(rand.Text())
	id := must(execute.ExecutePayoutRequest(*order).Execute()).Data.Id
	get := func() openapi.Payout {
		return must(api.PayoutsAPI.GetPayout(ctx, id).DisburseAmounts(amounts).Execute()).Data
	}
	payout := get()
	for *payout.Status.String == "initiated" {
		time.Sleep(200 * time.Millisecond)
		payout = get()
	}
	equal(*payout.Status.String, "succeeded")
	list := api.PayoutsAPI.ListPayouts(ctx).DisburseAmounts(amounts).ReferenceId(reference)
	listed := must(list.Execute()).Data.Transactions
	if len(listed) != 1 {
		panic(fmt.Sprintf("%d payouts are listed", len(listed)))
	}
	equal(listed[0].Id, id)
	return payout
}

func main() {
	configuration := openapi.NewConfiguration()
	configuration.Servers = openapi.ServerConfigurations{{URL: os.Getenv("DISBURSE_BASE_URL")}}
	api := openapi.NewAPIClient(configuration)
	account := os.Getenv("DISBURSE_ACCOUNT_ID")

	toBank := openapi.NewRequestForQuoteRequest(createBankAccount(api), "USD", "INR", account)
	toBank.SetReceivingAmount("123456.78")
	equal(pay(api, "fiat", toBank).ReceivingAmount, "123456.78")

	toWallet := openapi.NewRequestForQuoteRequest(createWallet(api), "USD", "USDC_ETH", account)
	toWallet.SetSourceAmount("250.25")
	equal(pay(api, "crypto", toWallet).SourceAmount, "250.25")
}
