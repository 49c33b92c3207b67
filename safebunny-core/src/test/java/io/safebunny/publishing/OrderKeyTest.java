// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.BunnyMessage;
import io.safebunny.PublishOptions;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.message.OrderKey;
import io.safebunny.message.WireMessage;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Publications with an order key, their own or that of a property. */
class OrderKeyTest {

    private static final UUID ID = UUID.fromString("db19dadf-39d7-4529-836d-cb89e97bfb48");

    enum Size {
        LARGE {
            @Override
            public String toString() {
                return "rather large";
            }
        }
    }

    record Plain(String orderId) {}

    @BunnyMessage(orderBy = "orderId")
    record OfText(@Nullable String orderId) {}

    @BunnyMessage(orderBy = "id")
    record OfId(UUID id) {}

    @BunnyMessage(orderBy = "size")
    record OfEnum(Size size) {}

    @BunnyMessage(orderBy = "number")
    static final class Bean {

        public long getNumber() {
            return 4711;
        }
    }

    @BunnyMessage(orderBy = "orderID")
    record Misspelt(String orderId) {}

    @BunnyMessage(orderBy = "broken")
    static final class Broken {

        private @Nullable String unset;

        public String getBroken() {
            return Optional.ofNullable(unset).orElseThrow(() -> new IllegalStateException("not yet"));
        }
    }

    @BunnyMessage(orderBy = "orderId", priority = 9)
    record Urgent(String orderId) {}

    private final Publisher publisher = new Publisher();

    private @Nullable Object keyOf(Object payload, PublishOptions options) {
        return published(payload, options).headers().get("sb-order-key");
    }

    private WireMessage published(Object payload, PublishOptions options) {
        publisher.bunny.publish(payload, options);
        var all = publisher.transport.confirmed();
        return all.get(all.size() - 1).message();
    }

    @Test
    void isTheCorrelationIdUnlessItIsSaid() {
        WireMessage message = published(new Plain("o-1"), PublishOptions.none().withCorrelationId("c-7"));

        assertThat(message.headers()).doesNotContainKey("sb-order-key");
        assertThat(OrderKey.of(message)).isEqualTo(new OrderKey("c-7"));
    }

    static Stream<Map.Entry<Object, String>> properties() {
        return Stream.of(
                Map.entry(new OfText("o-1"), "o-1"),
                Map.entry(new OfId(ID), ID.toString()),
                Map.entry(new OfEnum(Size.LARGE), "LARGE"),
                Map.entry(new Bean(), "4711"));
    }

    @ParameterizedTest
    @MethodSource("properties")
    void isThePropertyThatTheClassNames(Map.Entry<Object, String> message) {
        assertThat(keyOf(message.getKey(), PublishOptions.none())).isEqualTo(message.getValue());
    }

    @Test
    void thatOfThePublicationTakesPrecedence() {
        assertThat(keyOf(new OfText("o-1"), PublishOptions.none().withOrderKey("k")))
                .isEqualTo("k");
        assertThat(keyOf(new OfText(null), PublishOptions.none().withOrderKey("k")))
                .isEqualTo("k");
    }

    static Stream<String> invalid() {
        return Stream.of("", " ", "a b", "ü", "a/b", "a\nb", "\0", "\u202E", "k".repeat(129));
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void oneThatCannotBeSentIsRefused(String key) {
        for (List<Object> call : List.of(
                List.of(new OfText(key), PublishOptions.none(), "@BunnyMessage"),
                List.of(new Plain("1"), PublishOptions.none().withOrderKey(key), "PublishOptions"))) {
            assertThatExceptionOfType(InvalidPublicationException.class)
                    .isThrownBy(() -> publisher.bunny.publish(call.get(0), (PublishOptions) call.get(1)))
                    .withMessageContaining("from=%s]: it must have 1 to 128 characters", call.get(2));
        }
        assertThat(publisher.transport.confirmed()).isEmpty();
        assertThat(keyOf(new OfText("k".repeat(128)), PublishOptions.none())).isNotNull();
    }

    @Test
    void oneThatIsMissingIsRefused() {
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> publisher.bunny.publish(new OfText(null)))
                .withMessageContaining("OfText, orderBy=orderId]: it is null");
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> publisher.bunny.publish(new Broken()))
                .withMessageContaining("orderBy=broken]: it throws java.lang.IllegalStateException");
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> publisher.bunny.publish(new Misspelt("1")))
                .withMessageContaining("SB-1121")
                .withMessageContaining("Misspelt, orderBy=orderID]");
        assertThat(publisher.transport.confirmed()).isEmpty();
    }

    @Test
    void doesNotGoWithAPriority() {
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> publisher.bunny.publish(new Urgent("1")))
                .withMessageContaining("type=Urgent, priority=9");
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> publisher.bunny.publish(
                        new OfText("1"), PublishOptions.none().withPriority(5)));
    }
}
