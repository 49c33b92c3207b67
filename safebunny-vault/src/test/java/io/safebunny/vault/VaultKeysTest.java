// SPDX-License-Identifier: Apache-2.0
package io.safebunny.vault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.encryption.DataKey;
import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.encryption.UnknownKeyException;
import io.safebunny.encryption.WrappedKey;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.time.SystemTimeline;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpStatus;
import org.springframework.vault.authentication.SessionManager;
import org.springframework.vault.authentication.VaultLoginException;
import org.springframework.vault.client.VaultEndpoint;
import org.springframework.vault.core.VaultTemplate;
import org.springframework.vault.support.VaultToken;
import org.springframework.web.client.HttpClientErrorException;

@Timeout(60)
class VaultKeysTest {

    private static final byte[] KEY = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final String TEXT = Base64.getEncoder().encodeToString(KEY);
    private static final byte[] WRAPPED = {1, 2, 3, 4};
    private static final String CIPHERTEXT = Base64.getEncoder().encodeToString(WRAPPED);
    private static final WrappedKey THIRD = new WrappedKey("payments:v3", WRAPPED);
    private static final String DATA_KEY = "transit/datakey/plaintext/payments";
    private static final String DECRYPT = "transit/decrypt/payments";
    private static final String HMAC = "transit/hmac/payments";
    private static final String SETTINGS = "transit/keys/payments";
    private static final String RIGHTS = "sys/capabilities-self";

    private final ScriptedVault vault = new ScriptedVault();
    private final SystemTimeline timeline = new SystemTimeline("vault-keys-test");
    private SessionManager session = () -> VaultToken.of("s3cret");
    private final VaultTemplate client =
            new VaultTemplate(VaultEndpoint.create("vault", 8200), vault, () -> session.getSessionToken());
    private final VaultKeys keys = new VaultKeys(client, "transit", timeline);

    @AfterEach
    void close() {
        keys.close();
        timeline.close();
    }

    private void answersEverything() {
        vault.reply(
                DATA_KEY,
                200,
                "{\"data\":{\"plaintext\":\"%s\",\"ciphertext\":\"vault:v3:%s\"}}".formatted(TEXT, CIPHERTEXT));
        vault.reply(DECRYPT, 200, "{\"data\":{\"plaintext\":\"%s\"}}".formatted(TEXT));
        vault.reply(SETTINGS, 200, "{\"data\":{\"min_decryption_version\":2,\"min_encryption_version\":0}}");
        vault.reply(HMAC, 200, "{\"data\":{\"hmac\":\"vault:v2:%s\"}}".formatted(TEXT));
    }

    private void everythingFails(int status, String text) {
        Stream.of(DATA_KEY, DECRYPT, SETTINGS, HMAC).forEach(path -> vault.error(path, status, text));
    }

    private void assertAway(String... words) {
        List<Function<VaultKeys, Object>> calls = List.of(
                each -> each.current("payments"),
                each -> each.open(THIRD),
                each -> Objects.requireNonNull(each.hashKey("payments")));
        assertThat(calls).allSatisfy(call -> assertThatExceptionOfType(KeysUnavailableException.class)
                .isThrownBy(() -> call.apply(keys))
                .withMessageContainingAll(words)
                .withMessageNotContaining("s3cret"));
    }

    @Test
    void aDataKeyNamesTheVersionThatWrapsIt() {
        answersEverything();

        DataKey made = keys.current("payments");

        assertThat(made.key().getEncoded()).isEqualTo(KEY);
        assertThat(made.wrapped()).isEqualTo(THIRD);
        assertThat(vault.asked()).containsExactly(DATA_KEY + " {\"bits\":256}");
    }

    @Test
    void opensWhatAVersionWrapped() {
        answersEverything();

        assertThat(keys.open(THIRD).getEncoded()).isEqualTo(KEY);
        assertThat(vault.asked()).containsExactly(DECRYPT + " {\"ciphertext\":\"vault:v3:" + CIPHERTEXT + "\"}");
    }

    /** A message may name anything. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "../../sys/seal:v1",
                "..:v1",
                "payments/../../sys/seal:v1",
                "sys/seal",
                "payments%2f..:v1",
                "payments.x:v1",
                "{path}:v1",
                "payments?list=true:v1",
                "-payments:v1",
                "payments-:v1",
                "Payments:v1",
                "payments",
                "payments-1",
                "payments:v0",
                "payments:v01",
                "payments:v1:v2",
                "payments:v9999999999",
                "https://elsewhere/payments:v1",
                "0123456789012345678901234567890123456789012345678901234567890123-:v1",
                ""
            })
    void asksForNothingThatIsNotTheNameOfAKey(String id) {
        answersEverything();

        assertThatExceptionOfType(UnknownKeyException.class).isThrownBy(() -> keys.open(new WrappedKey(id, WRAPPED)));
        assertThatExceptionOfType(UnknownKeyException.class).isThrownBy(() -> keys.current("a/../" + id));
        assertThat(vault.asked()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "/transit", "transit/", "a//b", "..", "../sys", "a/../sys", "transit?x", "{x}", "https://x"})
    void aMountThatIsNoPathIsRefused(String mount) {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> new VaultKeys(client, mount, timeline))
                .withMessageContainingAll("SB-1301", "safebunny.encryption.vault.mount");
    }

    @Test
    void anotherMountIsAskedWhereOneIsNamed() {
        try (VaultKeys elsewhere = new VaultKeys(client, "teams/billing.eu", timeline)) {
            assertThatExceptionOfType(KeysUnavailableException.class).isThrownBy(() -> elsewhere.open(THIRD));
        }
        assertThat(vault.asked()).singleElement().asString().startsWith("teams/billing.eu/decrypt/payments ");
    }

    @ParameterizedTest
    @CsvSource({
        "503, Vault is sealed",
        "500, internal error",
        "429, request path: rate limit quota exceeded",
        "412, required index state not present",
        "404, no handler for route",
        "405, unsupported operation",
        "502, <html>bad gateway</html>"
    })
    void whatSaysNothingOfTheKeyIsAnOutage(int status, String text) {
        everythingFails(status, text);

        if (status == 404) { // of its settings, it says that there is no such key
            vault.error(SETTINGS, 503, text);
            assertThatExceptionOfType(KeysUnavailableException.class)
                    .isThrownBy(() -> keys.open(THIRD))
                    .withMessageContaining("Is a secrets engine enabled at this mount?");
        }
        assertAway(text.replace("Vault is ", ""));
    }

    @Test
    void aVaultThatCannotBeReachedIsAnOutage() {
        vault.on(() -> {
            throw new IOException("Connection refused");
        });

        assertAway("ResourceAccessException");
    }

    @Test
    void anotherSecretsEngineIsToldAndNoLossOfMessages() {
        Stream.of(DATA_KEY, DECRYPT).forEach(path -> vault.reply(path, 204, ""));
        assertThatExceptionOfType(KeysUnavailableException.class)
                .isThrownBy(() -> keys.current("payments"))
                .withMessageContaining("Is the secrets engine at this mount Transit?");
        assertThatExceptionOfType(KeysUnavailableException.class).isThrownBy(() -> keys.open(THIRD));

        vault.reply(DATA_KEY, 200, "{\"data\":{\"plaintext\":\"%s\",\"ciphertext\":\"other\"}}".formatted(TEXT));
        assertThatExceptionOfType(KeysUnavailableException.class)
                .isThrownBy(() -> keys.current("payments"))
                .withMessageNotContaining(TEXT);
    }

    /** Its status is that of the login, whatever it would mean for a key. */
    @Test
    void aFailedLoginIsAnOutage() {
        answersEverything();
        session = () -> {
            throw new VaultLoginException(
                    "Cannot login using AppRole: encryption key not found",
                    new HttpClientErrorException(HttpStatus.BAD_REQUEST));
        };

        assertAway("VaultLoginException");
    }

    @Test
    void aTokenThatIsNotAcceptedIsAnOutage() {
        everythingFails(403, "permission denied");
        vault.error(RIGHTS, 403, "permission denied");

        assertAway("does not accept this node's token");
    }

    @Test
    void aRuleBesideThePoliciesIsAnOutage() {
        everythingFails(403, "permission denied");
        vault.reply(RIGHTS, 200, rights("[\"update\",\"read\"]"));

        assertAway("although a policy allows it");
    }

    private static String rights(String capabilities) {
        return "{\"data\":{\"%s\":%s,\"%s\":%s,\"%s\":%s}}"
                .formatted(DATA_KEY, capabilities, DECRYPT, capabilities, SETTINGS, capabilities);
    }

    @Test
    void aRightThatIsMissingStopsWhatThisNodeUsesAndIsToldWithWhatToAdd() {
        everythingFails(403, "permission denied");
        vault.reply(RIGHTS, 200, rights("[\"deny\"]"));

        assertThatExceptionOfType(KeysUnavailableException.class)
                .isThrownBy(() -> keys.current("payments"))
                .withMessageContaining("Add: path \"%s\" { capabilities = [\"update\"] }".formatted(DATA_KEY));
        assertThatExceptionOfType(KeysUnavailableException.class)
                .isThrownBy(() -> keys.open(THIRD))
                .withMessageContaining("Add: path \"%s\" { capabilities = [\"update\"] }".formatted(DECRYPT));
        assertThatExceptionOfType(KeysUnavailableException.class)
                .isThrownBy(() -> keys.hashKey("payments"))
                .withMessageContaining("Add: path \"%s\" { capabilities = [\"read\"] }".formatted(SETTINGS));
    }

    @Test
    void aRightThatIsTakenAwayStopsWhatWasOpenedBefore() {
        answersEverything();
        keys.open(THIRD);
        everythingFails(403, "permission denied");
        vault.reply(RIGHTS, 200, rights("[\"deny\"]"));

        assertThatExceptionOfType(KeysUnavailableException.class).isThrownBy(() -> keys.open(THIRD));
    }

    /** Otherwise whoever can publish could stop a type by naming a key. */
    @Test
    void aKeyThatThisNodeMayNotUseAndNeverUsedIsUnknown() {
        everythingFails(403, "permission denied");
        vault.reply(RIGHTS, 200, rights("[\"deny\"]"));

        assertThatExceptionOfType(UnknownKeyException.class)
                .isThrownBy(() -> keys.open(THIRD))
                .withMessageContainingAll("payments:v3", "path \"transit/decrypt/payments\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "encryption key not found",
                "policy not found",
                "ciphertext or signature version is disallowed by policy (too old)",
                "invalid ciphertext: version is too new",
                "no such key version",
                "message decryption not supported for key type ed25519",
                "a text of a later Vault"
            })
    void aKeyOrVersionThatIsNotThereIsUnknown(String text) {
        everythingFails(400, text);

        assertThatExceptionOfType(UnknownKeyException.class)
                .isThrownBy(() -> keys.open(THIRD))
                .withMessageContainingAll("payments:v3", text);
        assertThatExceptionOfType(UnknownKeyException.class)
                .isThrownBy(() -> keys.current("payments"))
                .withMessageContainingAll(text, "vault write -f transit/keys/payments");
    }

    @ParameterizedTest
    @CsvSource({
        "400, cipher: message authentication failed",
        "400, invalid ciphertext: could not decode base64",
        "400, invalid ciphertext length",
        "500, failed to RSA decrypt the ciphertext: crypto/rsa: decryption error"
    })
    void whatAnotherKeyWrappedIsRefused(int status, String text) {
        everythingFails(status, text);

        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> keys.open(THIRD))
                .withMessageContaining("payments:v3")
                .withMessageNotContaining(CIPHERTEXT);
    }

    @Test
    void whatIsNoDataKeyIsRefused() {
        vault.reply(DECRYPT, 200, "{\"data\":{\"plaintext\":\"c2hvcnQ=\"}}");

        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> keys.open(THIRD))
                .withMessageNotContaining("c2hvcnQ=");
    }

    @Test
    void theKeyOfHashesIsThatOfTheOldestVersionInUse() {
        answersEverything();

        assertThat(Objects.requireNonNull(keys.hashKey("payments")).getEncoded())
                .isEqualTo(KEY);
        assertThat(vault.asked()).last().asString().startsWith(HMAC).contains("\"key_version\":2");

        vault.reply(SETTINGS, 200, "{\"data\":{\"min_decryption_version\":1,\"min_encryption_version\":4}}");
        keys.hashKey("payments");
        assertThat(vault.asked()).last().asString().contains("\"key_version\":4");
    }

    @Test
    void aKeyThatIsNotThereHasNoneForHashes() {
        assertThat(keys.hashKey("payments")).isNull();

        answersEverything();
        vault.error(HMAC, 400, "no HMAC key exists for that key version");
        assertThat(keys.hashKey("payments")).isNull();
    }

    /** Whatever the timeouts of the client are: here it has none. */
    @Test
    void aVaultThatDoesNotAnswerIsGivenUpAfterFiveSeconds() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        vault.on(() -> {
            try {
                answer.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        });
        VirtualTimeline virtual = new VirtualTimeline();
        try (VaultKeys waiting = new VaultKeys(client, "transit", virtual)) {
            List<CompletableFuture<DataKey>> asked = Stream.generate(() -> CompletableFuture.supplyAsync(
                            () -> waiting.current("payments"), task -> new Thread(task).start()))
                    .limit(20)
                    .toList();
            await().until(() -> virtual.pending() == 20);
            virtual.advance(Transit.LONGEST_CALL.minusNanos(1));
            assertThat(asked).noneMatch(CompletableFuture::isDone);

            virtual.advance(Duration.ofNanos(1));
            assertThat(asked).allSatisfy(each -> assertThat(each)
                    .failsWithin(Duration.ofSeconds(10))
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(KeysUnavailableException.class)
                    .withMessageContaining("no answer within 5 seconds"));

            int begun = vault.asked().size();
            answer.countDown();
            answersEverything();
            CompletableFuture<DataKey> later = CompletableFuture.supplyAsync(() -> waiting.current("payments"));
            assertThat(later).succeedsWithin(Duration.ofSeconds(10));
            assertThat(vault.asked()).as("calls nobody waited for any more").hasSize(begun + 1);
        } finally {
            answer.countDown();
        }
    }

    /** A peer that vanished without a word, and a client without a read timeout: only an interrupt ends these calls. */
    @Test
    void callsThatHangKeepNobodyElseWaitingOnceTheyAreGivenUp() {
        CountDownLatch never = new CountDownLatch(1);
        vault.on(() -> {
            try {
                never.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        });
        VirtualTimeline virtual = new VirtualTimeline();
        try (VaultKeys waiting = new VaultKeys(client, "transit", virtual)) {
            List<CompletableFuture<DataKey>> asked = Stream.generate(() -> CompletableFuture.supplyAsync(
                            () -> waiting.current("payments"), task -> new Thread(task).start()))
                    .limit(108)
                    .toList();
            await().until(() -> virtual.pending() == 108 && vault.asked().size() == 8);
            virtual.advance(Transit.LONGEST_CALL);
            assertThat(asked).allSatisfy(each -> assertThat(each).failsWithin(Duration.ofSeconds(10)));

            vault.on(() -> {});
            answersEverything();
            assertThat(CompletableFuture.supplyAsync(() -> waiting.current("payments")))
                    .succeedsWithin(Duration.ofSeconds(10));
        } finally {
            never.countDown();
        }
    }

    @Test
    void afterItIsClosedItIsAway() {
        keys.close();

        assertThatExceptionOfType(KeysUnavailableException.class).isThrownBy(() -> keys.current("payments"));
    }
}
