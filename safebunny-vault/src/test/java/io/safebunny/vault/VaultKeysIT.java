// SPDX-License-Identifier: Apache-2.0
package io.safebunny.vault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.safebunny.breaker.BreakerSettings;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.crypto.EncryptingCodec;
import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.encryption.DataKey;
import io.safebunny.encryption.Encrypted;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.encryption.UnknownKeyException;
import io.safebunny.encryption.WrappedKey;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.Codecs;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.test.contract.KeyProviderContract;
import io.safebunny.test.database.VaultServer;
import io.safebunny.time.Deadline;
import io.safebunny.time.SystemTimeline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Transport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.crypto.SecretKey;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.vault.client.VaultEndpoint;
import org.springframework.vault.core.VaultTemplate;
import org.springframework.vault.support.VaultMount;
import org.springframework.vault.support.VaultToken;
import org.springframework.vault.support.VaultTokenRequest;

/** A real OpenBao, which all tests share; each has a key of its own. */
@Timeout(60)
@Tag("once")
class VaultKeysIT {

    private static final Pattern POLICY = Pattern.compile("```hcl\\R(.*?)```", Pattern.DOTALL);

    private static VaultServer server;
    private static VaultTemplate operator;

    private final SystemTimeline timeline = new SystemTimeline("vault-keys-it");
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<VaultKeys> nodes = new ArrayList<>();

    @BeforeAll
    static void start() {
        server = VaultServer.start();
        operator = client(server.rootToken());
        operator.opsForSys().mount("transit", VaultMount.create("transit"));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void close() {
        nodes.forEach(VaultKeys::close);
        threads.shutdownNow();
        timeline.close();
    }

    /** Without timeouts of its own. */
    private static VaultTemplate client(String token) {
        return new VaultTemplate(
                VaultEndpoint.from(server.uri()), new SimpleClientHttpRequestFactory(), () -> VaultToken.of(token));
    }

    private VaultKeys node(String token) {
        VaultKeys keys = new VaultKeys(client(token), "transit", timeline);
        nodes.add(keys);
        return keys;
    }

    private VaultKeys node() {
        return node(server.rootToken());
    }

    /** As docs/encryption.md tells an operator to. */
    private static void create(String key) {
        operator.write("transit/keys/" + key);
    }

    private static void rotate(String key) {
        operator.write("transit/keys/%s/rotate".formatted(key));
    }

    private static void configure(String key, String setting, int version) {
        operator.write("transit/keys/%s/config".formatted(key), Map.of(setting, version));
    }

    private static String token(String policy) {
        operator.write("sys/policies/acl/test", Map.of("policy", policy));
        return operator.opsForToken()
                .create(VaultTokenRequest.builder()
                        .withPolicy("test")
                        .noDefaultPolicy()
                        .build())
                .getToken()
                .getToken();
    }

    /** That of the documentation, for a key of another name. */
    private static String policy(String key) throws IOException {
        Matcher listing = POLICY.matcher(Files.readString(Path.of("../docs/encryption.md")));
        assertThat(listing.find()).isTrue();
        return listing.group(1).replace("payments", key);
    }

    @Nested
    class Contract extends KeyProviderContract {

        @Override
        protected KeyProvider keys() {
            create("payments"); // does nothing where it is there
            create("names");
            return node();
        }

        @Override
        protected void rotate(String key) {
            VaultKeysIT.rotate(key);
        }
    }

    @Test
    void nodesShareKeysThroughTwentyRotations() {
        create("rotated");
        VaultKeys one = node();
        VaultKeys other = node();
        SecretKey hashes = Objects.requireNonNull(one.hashKey("rotated"));
        List<DataKey> made = new ArrayList<>();
        for (int rotation = 0; rotation <= 20; rotation++) {
            DataKey current = one.current("rotated");
            assertThat(other.open(current.wrapped())).isEqualTo(current.key());
            made.add(current);
            rotate("rotated");
        }

        assertThat(made)
                .extracting(each -> each.wrapped().keyId())
                .containsExactlyElementsOf(IntStream.rangeClosed(1, 21)
                        .mapToObj(version -> "rotated:v" + version)
                        .toList());
        assertThat(made).extracting(DataKey::key).doesNotHaveDuplicates();
        VaultKeys startedLater = node();
        assertThat(made).allSatisfy(each -> assertThat(startedLater.open(each.wrapped()))
                .isEqualTo(each.key()));
        assertThat(startedLater.hashKey("rotated")).isEqualTo(hashes);
    }

    @Test
    void aVersionThatIsRetiredIsUnknownUntilItIsAllowedAgain() {
        create("retired");
        VaultKeys keys = node();
        SecretKey hashes = Objects.requireNonNull(keys.hashKey("retired"));
        DataKey first = keys.current("retired");
        rotate("retired");
        DataKey second = keys.current("retired");
        configure("retired", "min_decryption_version", 2);

        assertThatExceptionOfType(UnknownKeyException.class)
                .isThrownBy(() -> keys.open(first.wrapped()))
                .withMessageContainingAll("retired:v1", "min_decryption_version");
        assertThat(keys.open(second.wrapped())).isEqualTo(second.key());
        assertThat(keys.hashKey("retired")).isNotNull().isNotEqualTo(hashes);

        configure("retired", "min_decryption_version", 1);
        assertThat(keys.open(first.wrapped())).isEqualTo(first.key());
        assertThat(keys.hashKey("retired")).isEqualTo(hashes);

        configure("retired", "min_encryption_version", 2);
        assertThat(keys.hashKey("retired")).isNotNull();
        assertThat(keys.open(first.wrapped())).isEqualTo(first.key());
    }

    @Test
    void aKeyOrVersionThatNobodyMadeIsUnknownAndIsNotMade() {
        create("known");
        VaultKeys keys = node();
        byte[] wrapped = keys.current("known").wrapped().bytes();

        assertThatExceptionOfType(UnknownKeyException.class)
                .isThrownBy(() -> keys.current("made-up"))
                .withMessageContaining("vault write -f transit/keys/made-up");
        assertThatExceptionOfType(UnknownKeyException.class)
                .isThrownBy(() -> keys.open(new WrappedKey("made-up:v1", wrapped)));
        assertThatExceptionOfType(UnknownKeyException.class)
                .isThrownBy(() -> keys.open(new WrappedKey("known:v2", wrapped)));
        assertThat(keys.hashKey("made-up")).isNull();
        assertThat(operator.opsForTransit().getKeys()).doesNotContain("made-up");
    }

    @Test
    void whatAnotherKeyWrappedIsRefused() {
        create("one");
        create("two");
        operator.write("transit/keys/rsa", Map.of("type", "rsa-2048"));
        VaultKeys keys = node();
        byte[] wrapped = keys.current("one").wrapped().bytes();
        byte[] changed = wrapped.clone();
        changed[20] ^= 1;

        for (WrappedKey each : List.of(
                new WrappedKey("two:v1", wrapped),
                new WrappedKey("rsa:v1", wrapped),
                new WrappedKey("one:v1", changed),
                new WrappedKey("one:v1", Arrays.copyOf(wrapped, 5)),
                new WrappedKey("one:v1", new byte[0]))) {
            assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> keys.open(each));
        }
    }

    @Test
    void theDocumentedPolicyIsEnoughAndNamesOneKey() throws Exception {
        create("allowed");
        create("others");
        DataKey othersKey = node().current("others");
        VaultKeys keys = node(token(policy("allowed")));

        DataKey made = keys.current("allowed");
        assertThat(keys.open(made.wrapped())).isEqualTo(made.key());
        assertThat(keys.hashKey("allowed")).isNotNull();
        assertThatExceptionOfType(UnknownKeyException.class)
                .isThrownBy(() -> keys.open(othersKey.wrapped()))
                .withMessageContaining("Add: path \"transit/decrypt/others\" { capabilities = [\"update\"] }");
    }

    @Test
    void aPathThatThePolicyLacksIsToldAndMessagesWaitForIt() throws Exception {
        create("lacking");
        VaultKeys keys = node(token(policy("lacking").replaceFirst("(?m)^.*decrypt/.*$", "")));
        DataKey made = keys.current("lacking");

        assertThatExceptionOfType(KeysUnavailableException.class)
                .isThrownBy(() -> keys.open(made.wrapped()))
                .withMessageContaining("Add: path \"transit/decrypt/lacking\" { capabilities = [\"update\"] }");

        token(policy("lacking"));
        assertThat(keys.open(made.wrapped())).isEqualTo(made.key());
    }

    @Test
    void aTokenThatIsRevokedIsAnOutageForEveryKey() throws Exception {
        create("revoked");
        DataKey made = node().current("revoked");
        String token = token(policy("revoked"));
        VaultKeys keys = node(token);
        operator.opsForToken().revoke(VaultToken.of(token));

        assertThatExceptionOfType(KeysUnavailableException.class)
                .isThrownBy(() -> keys.open(made.wrapped()))
                .withMessageContaining("does not accept this node's token");
        assertThatExceptionOfType(KeysUnavailableException.class).isThrownBy(() -> keys.current("revoked"));
    }

    @Test
    void whileItIsSealedItIsAway() {
        create("sealed");
        VaultKeys keys = node();
        DataKey made = keys.current("sealed");
        operator.opsForSys().seal();

        assertThatExceptionOfType(KeysUnavailableException.class)
                .isThrownBy(() -> keys.open(made.wrapped()))
                .withMessageContainingAll("status 503", "sealed");
        assertThatExceptionOfType(KeysUnavailableException.class).isThrownBy(() -> keys.current("sealed"));
        assertThatExceptionOfType(KeysUnavailableException.class).isThrownBy(() -> keys.hashKey("sealed"));

        operator.opsForSys().unseal(server.unsealKey());
        await().atMost(Duration.ofSeconds(10))
                .ignoreExceptionsInstanceOf(KeysUnavailableException.class)
                .untilAsserted(() -> assertThat(keys.open(made.wrapped())).isEqualTo(made.key()));
    }

    @Encrypted(key = "waiting")
    private record CardCharged(String pan) {}

    /** @param beforeSending after a message was encrypted */
    private SafeBunnyEngine engine(
            String name,
            MemoryBroker broker,
            CircuitBreakers breakers,
            Runnable beforeSending,
            HandlerDefinition... handlers) {
        SafeBunnyOptions options = SafeBunnyOptions.of(name);
        Transport transport = new ForwardingTransport(new MemoryTransport(broker, options.topology(), threads)) {
            @Override
            public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
                beforeSending.run();
                return super.send(message, deadline);
            }
        };
        SafeBunnyEngine engine = new SafeBunnyEngine(SafeBunnyParts.builder(options, transport, timeline)
                .store(new MemoryMessageStore(timeline, Duration.ofDays(7)))
                .codecs(new Codecs(List.of(new EncryptingCodec(node(), timeline, Set.of())), null))
                .breakers(breakers)
                .callbacks(threads)
                .build());
        engine.start(List.of(handlers));
        return engine;
    }

    @Test
    void aMessageWaitsWhileItIsSealedAndIsNotRetriedForThat() {
        create("waiting");
        MemoryBroker broker = new MemoryBroker(timeline, threads);
        CircuitBreakers breakers = new CircuitBreakers(BreakerSettings.defaults(), timeline, threads);
        Queue<String> handled = new ConcurrentLinkedQueue<>();
        SafeBunnyEngine billing = engine(
                "billing",
                broker,
                breakers,
                () -> {},
                new HandlerDefinition(
                        "orders",
                        "CardCharged",
                        CardCharged.class,
                        List.of("orders"),
                        10,
                        RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                        (payload, context) -> handled.add(context.attempt() + " " + payload)));
        SafeBunnyEngine orders = engine(
                "orders",
                broker,
                new CircuitBreakers(BreakerSettings.defaults(), timeline, threads),
                () -> operator.opsForSys().seal());
        try {
            orders.bunny().publish(new CardCharged("4111"));
            await().until(() ->
                    breakers.statuses().values().stream().anyMatch(type -> type.withoutKeysSince() != null));
            operator.opsForSys().unseal(server.unsealKey());

            await().atMost(Duration.ofSeconds(10)).until(() -> !handled.isEmpty());
            assertThat(handled).containsExactly("0 " + new CardCharged("4111"));
            assertThat(broker.depth("billing-poison")).isZero();
        } finally {
            orders.stop(Duration.ZERO);
            billing.stop(Duration.ofSeconds(5));
        }
    }

    @Test
    void aServerThatHangsIsGivenUpAndAskedAgain() {
        create("hanging");
        VaultKeys keys = node();
        DataKey made = keys.current("hanging");
        server.pause();
        try {
            assertThatExceptionOfType(KeysUnavailableException.class)
                    .isThrownBy(() -> keys.open(made.wrapped()))
                    .withMessageContaining("no answer within 5 seconds");
        } finally {
            server.resume();
        }
        assertThat(keys.open(made.wrapped())).isEqualTo(made.key());
    }

    @Test
    void anotherSecretsEngineOrNoneAtTheMountIsToldAndNoLossOfMessages() {
        operator.opsForSys()
                .mount(
                        "texts",
                        VaultMount.builder()
                                .type("kv")
                                .options(Map.of("version", "1"))
                                .build());
        for (String mount : List.of("texts", "nowhere")) {
            try (VaultKeys keys = new VaultKeys(client(server.rootToken()), mount, timeline)) {
                assertThatExceptionOfType(KeysUnavailableException.class)
                        .isThrownBy(() -> keys.current("payments"))
                        .withMessageContaining("at this mount");
                assertThatExceptionOfType(KeysUnavailableException.class)
                        .isThrownBy(() -> keys.open(new WrappedKey("payments:v1", new byte[60])));
            }
        }
    }
}
