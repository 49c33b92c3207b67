// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import io.safebunny.test.contract.bites.Wire;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Faults against {@link FidelityRules}. */
final class BrokenFidelity extends TransportFaults {

    BrokenFidelity() {
        fault(
                "cuts long headers",
                "carriesBodyPropertiesAndHeadersUnchanged",
                altering(
                        TransportFaults::isPublication,
                        message -> Wire.withValues(
                                message,
                                value -> value instanceof String text && text.length() > 1_024
                                        ? text.substring(0, 1_024)
                                        : value)));
        fault(
                "turns longs into ints",
                "carriesBodyPropertiesAndHeadersUnchanged",
                altering(
                        TransportFaults::isPublication,
                        message -> Wire.withValues(
                                message, value -> value instanceof Long number ? number.intValue() : value)));
        fault(
                "drops the priority",
                "carriesBodyPropertiesAndHeadersUnchanged",
                altering(TransportFaults::isPublication, Wire::withoutPriority));
        fault(
                "invents a content type",
                "leavesAbsentPropertiesAbsent",
                altering(
                        outbound -> outbound.message().contentType() == null,
                        message -> Wire.with(message, "application/octet-stream", message.body())));
        fault(
                "drops headers of delayed messages",
                "carriesADelayedMessageUnchanged",
                altering(TransportFaults::isDelayed, message -> message.withHeaders(Map.of())));
        fault(
                "drops headers of poison messages",
                "putsAPoisonMessageUnchangedIntoThePoisonQueueOfItsNode",
                altering(
                        outbound -> outbound.route() instanceof Route.Poison,
                        message -> message.withHeaders(Map.of())));
        faultIn("shares the header map", "doesNotShareTheHeaderMapWithTheSender", test -> {
            Map<String, Map<String, Object>> shared = new ConcurrentHashMap<>();
            return transport -> {
                transport.on(Transport::send).instead((real, outbound, deadline) -> {
                    String id = String.valueOf(outbound.message().messageId());
                    shared.put(id, outbound.message().headers());
                    return real.send(outbound, deadline);
                });
                eachDelivery((to, delivery) -> delivery.on(Delivery::message).instead(real -> {
                            IncomingMessage message = real.message();
                            String id = String.valueOf(message.message().messageId());
                            return message.withHeaders(shared.getOrDefault(id, Map.of()));
                        }))
                        .accept(transport);
            };
        });
    }
}
