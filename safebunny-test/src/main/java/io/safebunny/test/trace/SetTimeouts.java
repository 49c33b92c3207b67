// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.trace;

import io.safebunny.message.MessageTypes;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.document.BunnyTimeout;
import io.safebunny.test.harness.Happening;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The pending timeouts of sagas. Timeout messages alone do not show them, because they arrive even if their timeout was cancelled or moved:
 * only the stored saga tells.
 */
public final class SetTimeouts {

    private static final String TYPE = MessageTypes.nameOf(BunnyTimeout.class);

    private final Function<String, List<SagaView>> sagas;

    /** @param sagas finds sagas by their id */
    public SetTimeouts(Function<String, List<SagaView>> sagas) {
        this.sagas = sagas;
    }

    /** @return the future work, with timeouts in place of timeout messages */
    public List<Happening> insteadOfAlarms(List<Happening> later, Instant now) {
        List<Happening> wanted = new ArrayList<>();
        Map<String, Happening> alarms = new LinkedHashMap<>();
        for (Happening one : later) {
            if (one.type().equals(TYPE)) {
                alarms.putIfAbsent(one.saga(), one);
            } else {
                wanted.add(one);
            }
        }
        alarms.forEach((saga, alarm) -> sagas.apply(saga).stream()
                .filter(view ->
                        view.status() != SagaStatus.STUCK) // a stuck saga sets its timeouts again when it resumes
                .forEach(view -> view.timeouts().forEach((name, due) -> {
                    if (due.isAfter(now)) {
                        wanted.add(ringing(alarm, name, due));
                    }
                })));
        return wanted;
    }

    private static Happening ringing(Happening alarm, String name, Instant due) {
        return new Happening(
                alarm.at(), alarm.node(), alarm.saga(), alarm.messageId(), name(name), alarm.kind(), "", due);
    }

    /** The text for a timeout that is shown in place of a message type. */
    static String name(String timeout) {
        return "timeout " + timeout;
    }
}
