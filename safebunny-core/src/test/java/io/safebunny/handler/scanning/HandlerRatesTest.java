// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.safebunny.BunnyHandler;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.rate.HandlingRate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.stereotype.Component;

class HandlerRatesTest {

    @Component("bean")
    static class ByPlaceholder {
        @BunnyHandler(from = "orders", rate = "${mail.rate}")
        void on(OrderPlaced event) {}
    }

    @Component("bean")
    @BunnyHandler(rate = "10/s")
    static class ByClass {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {}
    }

    @Component("bean")
    static class Without {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {}
    }

    @Component("bean")
    static class OfBatches {
        @BunnyHandler(from = "orders")
        void on(List<OrderPlaced> events) {}
    }

    @Component("bean")
    static class Together {
        @BunnyHandler(from = "orders", messagesPerTransaction = "16")
        void on(OrderPlaced event) {}
    }

    private static HandlerDefinition byPlaceholder(String rate) {
        try (Handlers handlers = new Handlers(Map.of("mail.rate", rate), ByPlaceholder.class)) {
            return handlers.one();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "400/min, 400, 60, 400/min",
        "10 / s, 10, 1, 10/s",
        "1/h, 1, 3600, 1/h",
        "1/d, 1, 86400, 1/d",
        "100/10s, 100, 10, 100/10s",
        "7/90min, 7, 5400, 7/5400s",
        "1000/s, 1000, 1, 1000/s",
        "1000000/h, 1000000, 3600, 1000000/h"
    })
    void isANumberPerTime(String text, int messages, int seconds, String shown) {
        HandlingRate rate = byPlaceholder(text).rate();
        assertThat(rate).isEqualTo(new HandlingRate(messages, Duration.ofSeconds(seconds)));
        assertThat(rate).hasToString(shown);
        assertThat(HandlingRate.parse(shown)).isEqualTo(rate);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0/min",
                "-1/min",
                "400",
                "400/",
                "/min",
                "400/m",
                "400/minute",
                "400/week",
                "0.5/s",
                "4e2/s",
                "400/0s",
                "1001/s",
                "1000001/d",
                "99999999999999999999/s",
                "1/2d",
                "1/99999d",
                "400/min 3",
                "unlimited"
            })
    void anythingElseIsRefusedWithTheHandlerAndTheValueAndWhatToWrite(String text) {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> byPlaceholder(text))
                .withMessageContaining("[handler=bean.on(OrderPlaced), rate=%s]".formatted(text))
                .withMessageContaining("400/min")
                .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1105"))
                .satisfies(e -> assertThat(e.action()).contains("Correct @BunnyHandler(rate"));
    }

    @ParameterizedTest
    @CsvSource({"0, PT1S", "1000001, P1D", "1, PT0.999S", "1, PT24H0.001S", "1001, PT1S", "1, PT0S", "1, PT-1S"})
    void noOtherWayToOneThatIsOutOfRange(int messages, Duration window) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new HandlingRate(messages, window))
                .withMessageContaining("%s messages in %s", messages, window);
    }

    @Test
    void aPropertyTakesPrecedenceAndIsNamedIfItIsWrong() {
        try (Handlers handlers = new Handlers(ByClass.class)) {
            assertThat(handlers.one().rate()).hasToString("10/s");
            assertThat(handlers.scan(Map.of("OrderPlaced", "5/min")).get(0).rate())
                    .hasToString("5/min");
            assertThat(handlers.scan(Map.of("orderplaced", "6/min")).get(0).rate())
                    .hasToString("6/min");
            assertThat(handlers.scan(Map.of("OrderPlaced", "none")).get(0).rate())
                    .isNull();
            assertThat(handlers.scan(Map.of("Other", "5/min")).get(0).rate()).hasToString("10/s");
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(() -> handlers.scan(Map.of("OrderPlaced", "5")))
                    .withMessageContaining("[handler=bean.on(OrderPlaced), safebunny.listener.rates.OrderPlaced=5]")
                    .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1105"))
                    .satisfies(e -> assertThat(e.action()).contains("safebunny.listener.rates.OrderPlaced"));
        }
    }

    @Test
    void messagesWithARateAreHandledOnTheirOwn() {
        try (Handlers handlers = new Handlers(Without.class)) {
            assertThat(handlers.scan(Map.of()).get(0).grouping().most()).isEqualTo(4);
            assertThat(handlers.scan(Map.of("OrderPlaced", "5/min"))
                            .get(0)
                            .grouping()
                            .most())
                    .isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {OfBatches.class, Together.class})
    void whatIsHandledTogetherHasNoRate(Class<?> component) {
        try (Handlers handlers = new Handlers(component)) {
            assertThat(handlers.scan(Map.of("OrderPlaced", "none"))).hasSize(1);
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(() -> handlers.scan(Map.of("OrderPlaced", "5/min")))
                    .withMessageContaining("safebunny.listener.rates.OrderPlaced=5/min]: it must be absent")
                    .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1105"));
        }
    }
}
