// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.topology.Topology;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class AcknowledgementTimeoutTest {

    private static final String QUEUE = "shop.eu-Order$Placed";
    private static final Map<String, Object> QUORUM = Map.of("x-queue-type", "quorum");
    private static final RetryStrategy MINUTE = RetryStrategy.of(1, Duration.ofMinutes(1));
    private static final RetryStrategy HALF_AN_HOUR = RetryStrategy.of(3, Duration.ofMinutes(10));

    /** Shortened by a millisecond, so that it is just within half an hour. */
    private static final RetryStrategy JUST_LESS = RetryStrategy.after(
            Duration.ofMinutes(10),
            Duration.ofMinutes(10),
            Duration.ofMinutes(10).minusMillis(1));

    private static @Nullable String finding(
            RetryStrategy retries, Map<String, Object> planned, @Nullable QueueFacts found, String version) {
        HandlerDefinition handler = new HandlerDefinition(
                "Orders.on",
                "Order$Placed",
                String.class,
                List.of("desk"),
                10,
                RecoveryPolicy.of(retries, RetryStrategy.after(Duration.ofDays(1))),
                (payload, context) -> {});
        return new AcknowledgementTimeout(version, "/").finding(handler, new Topology.Queue(QUEUE, planned), found);
    }

    private static QueueFacts quorum(Map<String, Object> arguments, Map<String, Object> policies, String policy) {
        return new QueueFacts("quorum", arguments, policies, policy, "");
    }

    private static QueueFacts byPolicy(long millis) {
        return quorum(Map.of(), Map.of("consumer-timeout", millis), "slow");
    }

    static Stream<Arguments> within() {
        QueueFacts plain = quorum(Map.of(), Map.of(), "");
        QueueFacts classic = new QueueFacts("classic", Map.of(), Map.of(), "", "");
        return Stream.of(
                arguments("no retries", RetryStrategy.none(), QUORUM, plain, "4.3.0"),
                arguments("0, whose meaning is not documented", HALF_AN_HOUR, QUORUM, byPolicy(0), "4.3.0"),
                arguments("default", JUST_LESS, QUORUM, plain, "4.3.0"),
                arguments("default, nobody asked", JUST_LESS, QUORUM, null, ""),
                arguments("policy", MINUTE, QUORUM, byPolicy(60_001), "4.3.0"),
                arguments("policy longer than the default", HALF_AN_HOUR, QUORUM, byPolicy(3_600_000), "4.3.0"),
                arguments("classic from 4.3 on", HALF_AN_HOUR, Map.of(), classic, "4.3.0"),
                arguments("classic from 4.3 on, not there yet", HALF_AN_HOUR, Map.of(), null, "5.0.1"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("within")
    void waitsThatEndEarlierAreAsTheyShouldBe(
            String name,
            RetryStrategy retries,
            Map<String, Object> planned,
            @Nullable QueueFacts found,
            String version) {
        assertThat(finding(retries, planned, found, version)).isNull();
    }

    static Stream<Arguments> beyond() {
        QueueFacts plain = quorum(Map.of(), Map.of(), "");
        QueueFacts classic = new QueueFacts("classic", Map.of(), Map.of(), "", "");
        QueueFacts otherwise = quorum(Map.of(), Map.of("max-length", 5L), "short");
        QueueFacts both = quorum(Map.of("x-consumer-timeout", 50_000L), Map.of("consumer-timeout", 40_000L), "slow");
        QueueFacts argument =
                quorum(Map.of("x-consumer-timeout", 40_000L), Map.of("consumer-timeout", 50_000L), "slow");
        String command = "rabbitmqctl set_policy -p '/' --apply-to queues '" + QUEUE
                + "' '^shop\\.eu-Order\\$Placed$' '{\"consumer-timeout\":3600000}'";
        return Stream.of(
                arguments("default", HALF_AN_HOUR, QUORUM, plain, "4.3.0", "PT30M (the broker's default, as", command),
                arguments(
                        "an operator's policy, which cannot set it",
                        HALF_AN_HOUR,
                        QUORUM,
                        new QueueFacts("quorum", Map.of(), Map.of("max-length", 5L), "", "bounds"),
                        "4.3.0",
                        "PT30M (the broker's default, as",
                        command),
                arguments(
                        "nobody asked",
                        HALF_AN_HOUR,
                        QUORUM,
                        null,
                        "",
                        "PT30M (the broker's default; a policy or",
                        command),
                arguments("classic", HALF_AN_HOUR, Map.of(), classic, "4.2.9", "PT30M (the broker's default", command),
                arguments(
                        "another policy applies, which a further one would replace",
                        HALF_AN_HOUR,
                        QUORUM,
                        otherwise,
                        "4.3.0",
                        "PT30M (the broker's default",
                        "\"consumer-timeout\":3600000 in the definition of policy 'short'"),
                arguments(
                        "no policy can say it",
                        HALF_AN_HOUR,
                        QUORUM,
                        plain,
                        "3.11.28",
                        "PT30M (the broker's default",
                        "raise the timeout: consumer_timeout = 3600000 in rabbitmq.conf"),
                arguments(
                        "policy",
                        MINUTE,
                        QUORUM,
                        byPolicy(60_000),
                        "4.3.0",
                        "PT1M (by policy 'slow')",
                        "\"consumer-timeout\":120000 in the definition of policy 'slow'"),
                arguments("policy is lower", MINUTE, QUORUM, both, "4.3.0", "PT40S (by policy 'slow')", "'slow'"),
                arguments(
                        "argument is lower",
                        MINUTE,
                        QUORUM,
                        argument,
                        "4.3.0",
                        "PT40S (by the queue's argument x-consumer-timeout)",
                        "without that argument"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("beyond")
    void waitsThatDoNotAreToldWithBothValuesTheSourceAndWhatToDo(
            String name,
            RetryStrategy retries,
            Map<String, Object> planned,
            @Nullable QueueFacts found,
            String version,
            String source,
            String remedy) {
        assertThat(finding(retries, planned, found, version))
                .contains("Queue '" + QUEUE + "'", "retries of Orders.on wait up to " + retries.total())
                .contains("in total, plus the handler's own run time")
                .contains("takes a delivery back after " + source)
                .contains("safebunny.retry", "safebunny.delayed-retry.delays")
                .contains(remedy);
    }

    @Test
    void eachWaitCountsAsLongAsItCanBe() {
        // 10 + 20 + 25 + 25 s
        RetryStrategy growing = RetryStrategy.exponential(4, Duration.ofSeconds(10), 2, Duration.ofSeconds(25));

        assertThat(finding(growing, QUORUM, byPolicy(80_001), "4.3.0")).isNull();
        assertThat(finding(growing, QUORUM, byPolicy(80_000), "4.3.0")).contains("wait up to PT1M20S in total");
        assertThat(finding(growing.withJitter(0.5), QUORUM, byPolicy(120_001), "4.3.0"))
                .isNull();
        assertThat(finding(growing.withJitter(0.5), QUORUM, byPolicy(120_000), "4.3.0"))
                .contains("wait up to PT2M in total");
    }
}
