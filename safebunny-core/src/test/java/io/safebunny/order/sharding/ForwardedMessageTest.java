// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.sharding;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.IncomingMessage.Origin;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The copy in a shard is the message but for its priority, and its handler does not see that it was forwarded. */
class ForwardedMessageTest {

    private static final Origin ORIGIN = new Origin("shop-StockChanged.in", "safebunny", "warehouse-StockChanged");

    private static IncomingMessage incoming(Map<String, Object> headers) {
        return new IncomingMessage(
                ORIGIN,
                true,
                3,
                new WireMessage(
                        "m1", "c1", "StockChanged", "warehouse", 7L, "application/json", null, 9, headers, new byte[] {1
                        }));
    }

    @Test
    void isHandledAsItCame() {
        Map<String, Object> headers = Map.of(Headers.ORDER_KEY, "tea", "own", 1);
        OutboundMessage copy = ForwardedMessage.copy(incoming(headers), "shop-StockChanged.4");
        assertThat(copy.route()).isEqualTo(new Route.ToQueue("shop-StockChanged.4"));

        IncomingMessage handled = new ForwardedMessage(
                        new RecordedDelivery("shop-StockChanged.4", copy.message()), ORIGIN.queue())
                .message();

        assertThat(handled.origin()).isEqualTo(ORIGIN);
        assertThat(handled.message())
                .usingRecursiveComparison()
                .isEqualTo(incoming(headers).message().withPriority(null));
    }

    @Test
    void carriesNothingByWhichTheBrokerWouldRouteOrCountIt() {
        OutboundMessage copy = ForwardedMessage.copy(
                incoming(Map.of(
                        "CC",
                        List.of("elsewhere"),
                        "x-delivery-count",
                        3,
                        "x-death",
                        List.of(Map.of("queue", "ladder")),
                        "x-first-death-queue",
                        "ladder",
                        "x-exception-type",
                        "kept")),
                "shop-StockChanged.4");

        assertThat(copy.message().headers())
                .containsOnlyKeys("x-exception-type", "sb-forwarded-exchange", "sb-forwarded-routing-key");
    }
}
