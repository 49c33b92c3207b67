// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.LogLines;
import io.safebunny.message.Envelope;
import io.safebunny.message.EnvelopeReader;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.message.WireMessage;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TrustedUsersTest {

    private static final List<String> FROM = List.of("orders", "shop");

    private final TrustedUsers users =
            new TrustedUsers(Map.of("orders", "svc-orders", "shop", "svc-shop", "billing", "svc-billing"));

    private static Envelope from(@Nullable String node) {
        return EnvelopeReader.read(
                new WireMessage("id-1", "saga", "Ping", node, null, null, null, Map.of(), new byte[0]));
    }

    private static List<HandlerDefinition> takesFrom(String... nodes) {
        return List.of(new HandlerDefinition(
                "test.on(Ping)",
                "Ping",
                String.class,
                List.of(nodes),
                1,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                (payload, context) -> {}));
    }

    @ParameterizedTest
    @CsvSource({
        "svc-orders, orders",
        "svc-orders,", // foreign publishers need no app_id
        "svc-shop, shop",
        "svc-billing, orders", // a delayed retry that the node sent back to itself
    })
    void takesASenderUnderItsUser(String user, @Nullable String node) {
        assertThatCode(() -> users.require("billing", FROM, user, from(node))).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({
        "svc-shop, orders", // one sender in the name of another
        "svc-orders, billing", // in the name of this node
        "evil, orders",
        "evil,",
        ", orders",
        ","
    })
    void refusesEverybodyElse(@Nullable String user, @Nullable String node) {
        assertThatThrownBy(() -> users.require("billing", FROM, user, from(node)))
                .isInstanceOfSatisfying(InvalidMessageException.class, e -> {
                    if (e.reason() != PoisonReason.MISSING_PROPERTY) {
                        throw new AssertionError(e.reason());
                    }
                })
                .hasMessageContaining("user_id");
    }

    @Test
    void checksNothingWhoseSendersAreNotNamed() {
        assertThatCode(() -> users.require("billing", List.of("legacy"), null, from("legacy")))
                .doesNotThrowAnyException();
        assertThatCode(() -> users.requireAll("billing", takesFrom("legacy"))).doesNotThrowAnyException();
    }

    @Test
    void refusesToStartWhenSomeSendersOrTheNodeAreMissing() {
        assertThatThrownBy(() -> users.requireAll("billing", takesFrom("orders", "legacy")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContainingAll("SB-1308", "[legacy]");
        assertThatThrownBy(
                        () -> new TrustedUsers(Map.of("orders", "svc-orders")).requireAll("new", takesFrom("orders")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContainingAll("SB-1308", "safebunny.listener.trusted-users[new]");
        assertThatThrownBy(() -> users.requireUser("billing", "guest"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContainingAll("SB-1308", "guest", "svc-billing");
        assertThatThrownBy(() -> users.requireUser("billing", null))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContainingAll("SB-1308", "tellsUser", "svc-billing");
    }

    @Test
    void tellsWhoIsNamedAndSendsNothing() {
        TrustedUsers misspelt = new TrustedUsers(Map.of("ordres", "svc-orders", "billing", "svc-billing"));

        try (LogLines lines = new LogLines(TrustedUsers.class.getName())) {
            misspelt.requireAll("billing", takesFrom("orders"));

            assertThat(lines.texts()).singleElement().asString().contains("[ordres]", "billing");
        }
    }
}
