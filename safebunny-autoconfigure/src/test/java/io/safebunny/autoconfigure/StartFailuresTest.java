// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyMessage;
import io.safebunny.OnExpired;
import io.safebunny.Published;
import io.safebunny.encryption.Encrypted;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.failure.MisuseException;
import io.safebunny.rabbit.RabbitTransportOptions;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.test.encryption.MemoryKeys;
import jakarta.validation.Valid;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.connection.SimpleRoutingConnectionFactory;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.scheduling.annotation.Async;
import org.springframework.vault.client.VaultEndpoint;
import org.springframework.vault.core.VaultOperations;
import org.springframework.vault.core.VaultTemplate;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;

/** Every failure of a start is explained with its code, and with what to change. */
class StartFailuresTest {

    private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (SB-1\\d{3}) \\| (?!\\(log only\\))");
    private static final Pattern THROWN = Pattern.compile(
            "ConfigurationException\\(\\s*(?:ConfigurationException\\.)?\"(SB-1\\d{3})\"|String (?:CODE|MISSING) = \"(SB-1\\d{3})\"");

    /** They need a broker, a database, an account, or a message that is published; the tests of these say what they look like. */
    private static final Set<String> OUTSIDE = Set.of(
            "SB-1201", "SB-1202", "SB-1204", "SB-1401", "SB-1402", "SB-1405", "SB-1408", "SB-1411", "SB-1412",
            "SB-1413", "SB-1414", "SB-1415", "SB-1416", "SB-1116", "SB-1117", "SB-1422", "SB-1423", "SB-1425",
            "SB-1426", "SB-1121", "SB-1122", "SB-1205");

    private static final Map<String, UnaryOperator<ApplicationContextRunner>> CASES = Map.ofEntries(
            Map.entry("SB-1001", properties("safebunny.node=Shop!")),
            Map.entry("SB-1002", bean(Reserved.class)),
            Map.entry("SB-1003", properties("safebunny.topology.prefix=amq.mine")),
            Map.entry("SB-1101", bean(WithoutPayload.class)),
            Map.entry("SB-1102", node -> node.withBean("one", Good.class).withBean("two", Good.class)),
            Map.entry("SB-1103", bean(Answering.class)),
            Map.entry("SB-1104", bean(Static.class)),
            Map.entry("SB-1105", bean(FromNobody.class)),
            Map.entry("SB-1106", bean(Validated.class)),
            Map.entry("SB-1107", bean(Unstarted.class)),
            Map.entry("SB-1108", bean(Started.class)),
            Map.entry("SB-1109", properties("safebunny.scheduling.enabled=true")),
            Map.entry("SB-1110", bean(ByClass.class)),
            Map.entry("SB-1111", bean(OfText.class)),
            Map.entry("SB-1112", bean(Unreadable.class)),
            Map.entry("SB-1113", bean(InTheBackground.class)),
            Map.entry("SB-1114", bean(InAFactory.class)),
            Map.entry("SB-1119", bean(NeverTold.class)),
            Map.entry("SB-1120", bean(InOrder.class)),
            Map.entry("SB-1123", bean(OfASecondVersion.class)),
            Map.entry("SB-1301", properties("safebunny.listener.prefetch=0")),
            Map.entry("SB-1302", properties("safebunny.node=")),
            Map.entry("SB-1303", properties("safebunny.node=", "spring.application.name=My Shop")),
            Map.entry("SB-1304", properties("safebunny.transport=rabbit")),
            Map.entry("SB-1305", node -> properties("safebunny.transport=rabbit")
                    .apply(node)
                    .withBean(ConnectionFactory.class, StartFailuresTest::routing)),
            Map.entry(
                    "SB-1306",
                    properties("safebunny.dedup.retention=1m", "safebunny.store.type=memory")
                            .andThen(node -> node.withBean(Good.class))::apply),
            Map.entry("SB-1307", properties("safebunny.ids.secret=short")),
            Map.entry("SB-1308", node -> properties(
                            "safebunny.transport=rabbit", "safebunny.listener.trusted-users.shop=guest")
                    .apply(node)
                    .withBean(ConnectionFactory.class, CachingConnectionFactory::new)
                    .withBean(RabbitTransportOptions.class, RabbitTransportOptions::defaults)),
            Map.entry("SB-1310", node -> node.withBean(JsonMapper.class, StartFailuresTest::defaultTyped)),
            Map.entry("SB-1313", properties("safebunny.encryption.keystore.location=nowhere.p12")),
            Map.entry("SB-1314", bean(Keyless.class)),
            Map.entry("SB-1315", bean(OfAnotherFormat.class)),
            Map.entry(
                    "SB-1316",
                    properties("safebunny.claim-check.files.location=target/bodies", "safebunny.claim-check.store=s3")),
            Map.entry("SB-1317", properties("safebunny.claim-check.files.location=pom.xml")),
            Map.entry(
                    "SB-1318",
                    node -> bean(OfNobody.class).apply(node).withBean(KeyProvider.class, StartFailuresTest::keys)),
            Map.entry(
                    "SB-1319",
                    node -> bean(Homeless.class).apply(node).withBean(KeyProvider.class, StartFailuresTest::keys)),
            Map.entry("SB-1320", node -> properties("safebunny.encryption.keystore.location=keys.p12")
                    .apply(node)
                    .withBean(VaultOperations.class, StartFailuresTest::vault)),
            Map.entry("SB-1311", properties("safebunny.publisher.encoding=zstd")),
            Map.entry(
                    "SB-1312",
                    node -> properties("safebunny.enabled=false").apply(node).withBean(Publishing.class)),
            Map.entry("SB-1403", properties("safebunny.store.type=cosmos")),
            Map.entry("SB-1404", properties("safebunny.store.type=jdbc")));

    private static UnaryOperator<ApplicationContextRunner> properties(String... properties) {
        return node -> node.withPropertyValues(properties);
    }

    private static UnaryOperator<ApplicationContextRunner> bean(Class<?> type) {
        return node -> node.withBean(type);
    }

    private static SimpleRoutingConnectionFactory routing() {
        SimpleRoutingConnectionFactory routing = new SimpleRoutingConnectionFactory();
        routing.setDefaultTargetConnectionFactory(new CachingConnectionFactory());
        return routing;
    }

    private static JsonMapper defaultTyped() {
        return JsonMapper.builder()
                .activateDefaultTyping(BasicPolymorphicTypeValidator.builder()
                        .allowIfSubType(Object.class)
                        .build())
                .build();
    }

    private static Set<String> documented() throws IOException {
        return codes(ROW, Files.readString(PROJECT.resolve("docs/errors.md")));
    }

    private static Set<String> codes(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(found -> found.group(1) == null ? found.group(2) : found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void eachIsWalkedHereOrNeedsSomethingOutside() throws IOException {
        Set<String> known = new TreeSet<>(CASES.keySet());
        known.addAll(OUTSIDE);
        assertThat(known).isEqualTo(documented());
    }

    /** So that the analysis that the walk sees is the one of those that need something outside, too. */
    @Test
    void eachIsAConfigurationException() throws IOException {
        Set<String> thrown = new TreeSet<>();
        for (Path file : sources()) {
            thrown.addAll(codes(THROWN, Files.readString(file)));
        }
        assertThat(thrown).containsAll(OUTSIDE);
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String module : List.of(
                "safebunny-api",
                "safebunny-core",
                "safebunny-rabbit",
                "safebunny-jdbc",
                "safebunny-cosmos",
                "safebunny-crypto",
                "safebunny-vault",
                "safebunny-claimcheck",
                "safebunny-cbor",
                "safebunny-protobuf",
                "safebunny-autoconfigure")) {
            try (Stream<Path> files = Files.walk(PROJECT.resolve(module).resolve("src/main/java"))) {
                files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
            }
        }
        return sources;
    }

    @TestFactory
    Stream<DynamicTest> saysWhatIsWrongAndWhatToDo() {
        return CASES.entrySet().stream()
                .map(each -> DynamicTest.dynamicTest(
                        each.getKey(),
                        () -> each.getValue().apply(Nodes.memory()).run(context -> {
                            FailureAnalysis analysis = Analyses.of(
                                    context.getStartupFailure(), !each.getKey().equals("SB-1312"));
                            assertThat(analysis.getDescription()).startsWith(each.getKey() + " ");
                            assertThat(analysis.getAction()).hasSizeGreaterThan(15);
                        })));
    }

    @Test
    void aPublicationInAConstructorIsToldWhatIsLateEnough() {
        Nodes.memory().withBean(Hasty.class).run(context -> {
            FailureAnalysis analysis = Analyses.of(context.getStartupFailure(), true);
            assertThat(analysis.getDescription()).startsWith("SB-2006 ");
            assertThat(analysis.getAction()).contains("ApplicationReadyEvent");
        });
    }

    @Test
    void aDatabaseThatDoesNotAnswerIsToldWithItsSettings() {
        FailureAnalysis analysis = Analyses.of(
                new BeanCreationException(
                        "store",
                        "It failed",
                        new StoreUnavailableException("The database does not answer.", null, null)),
                true);

        assertThat(analysis.getDescription()).startsWith("SB-4001 The database does not answer.");
        assertThat(analysis.getAction()).contains("spring.datasource.");
    }

    @Test
    void anyOtherOfOursIsToldWithTheLineThatCausedIt() {
        MisuseException failure = new MisuseException("SB-5001", "A negative delay.");
        failure.setStackTrace(new StackTraceElement[] {
            new StackTraceElement("io.safebunny.PublishOptions", "withDelay", "PublishOptions.java", 1),
            new StackTraceElement("com.acme.Shop", "init", "Shop.java", 12)
        });

        FailureAnalysis analysis = Analyses.of(new BeanCreationException("shop", "It failed", failure), true);

        assertThat(analysis.getDescription())
                .contains("SB-5001 A negative delay.", "com.acme.Shop.init(Shop.java:12)")
                .doesNotContain("PublishOptions");
        assertThat(analysis.getAction()).contains("SB-5001 in docs/errors.md", "--debug");
    }

    @BunnyMessage("poison")
    record Mine() {}

    static class Reserved {
        @BunnyHandler(from = "shop")
        void on(Mine payload) {}
    }

    static class InTheBackground {
        @Async
        @BunnyHandler(from = "shop")
        void on(OrderPlaced payload) {}
    }

    static class InAFactory implements FactoryBean<String> {
        @Override
        public String getObject() {
            return "";
        }

        @Override
        public Class<?> getObjectType() {
            return String.class;
        }

        @BunnyHandler(from = "shop")
        void on(OrderPlaced payload) {}
    }

    static class WithoutPayload {
        @BunnyHandler(from = "shop")
        void on() {}
    }

    static class Good {
        @BunnyHandler(from = "shop")
        void on(OrderPlaced payload) {}
    }

    @Encrypted(key = "payments")
    record CardCharged(String pan) {}

    static class Keyless {
        @BunnyHandler(from = "shop")
        void on(CardCharged payload) {}
    }

    private static VaultOperations vault() {
        return new VaultTemplate(VaultEndpoint.create("nowhere.invalid", 8200));
    }

    private static KeyProvider keys() {
        return MemoryKeys.of("payments", "subjects");
    }

    @Encrypted(key = "payments", subject = "customr")
    record Misspelt(String customer) {}

    static class OfNobody {
        @BunnyHandler(from = "shop")
        void on(Misspelt payload) {}
    }

    @Encrypted(key = "payments", subject = "customer")
    record Personal(String customer) {}

    static class Homeless {
        @BunnyHandler(from = "shop")
        void on(Personal payload) {}
    }

    @BunnyMessage(format = "msgpack")
    record Packed(String order) {}

    static class OfAnotherFormat {
        @BunnyHandler(from = "shop")
        void on(Packed payload) {}
    }

    static class Answering {
        @BunnyHandler(from = "shop")
        String on(OrderPlaced payload) {
            return "";
        }
    }

    static class Static {
        @BunnyHandler(from = "shop")
        static void on(OrderPlaced payload) {}
    }

    static class InOrder {
        @BunnyHandler(from = "shop", ordered = true)
        void on(OrderPlaced payload) {}
    }

    static class OfASecondVersion {
        @BunnyMessage(version = 2)
        record NameChanged(String first, String last) {}

        @BunnyHandler(from = "shop")
        void on(NameChanged payload) {}
    }

    static class FromNobody {
        @BunnyHandler
        void on(OrderPlaced payload) {}
    }

    static class Validated {
        @BunnyHandler(from = "shop")
        void on(@Valid OrderPlaced payload) {}
    }

    record State() {}

    @BunnySaga
    static class Unstarted {
        @BunnyHandler(from = "shop")
        void on(OrderPlaced payload, State state) {}
    }

    @BunnySaga
    static class Started {
        @Starts
        @BunnyHandler(from = "shop")
        State on(OrderPlaced payload, SagaContext saga) {
            return new State();
        }
    }

    static class ByClass {
        @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
        interface AnyEvent {}

        @BunnyHandler(from = "shop")
        void on(AnyEvent payload) {}
    }

    static class NeverTold {
        @OnExpired
        void expired(OrderPlaced payload) {}
    }

    static class OfText {
        @BunnyHandler(from = "shop")
        void on(String payload) {}
    }

    static class Unreadable {
        interface Shape {}

        @BunnyHandler(from = "shop")
        void on(Shape payload) {}
    }

    static class Publishing {
        Publishing(Bunny bunny) {}
    }

    static class Hasty {
        Hasty(Bunny bunny) {
            Published unused = bunny.publish(new OrderPlaced("1"));
        }
    }
}
