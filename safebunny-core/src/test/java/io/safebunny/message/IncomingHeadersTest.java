// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.math.BigDecimal;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IncomingHeadersTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CC",
                "cc",
                "BCC",
                "Bcc",
                "x-death",
                "X-Death",
                "x-first-death-queue",
                "x-delivery-count",
                "x-acquired-count",
                "x-delay",
                "x-exception-message",
                "__TypeId__",
                "__typeid__",
                "__ContentTypeId__",
                "__KeyTypeId__",
                "spring_listener_return_correlation",
                "spring_returned_message_correlation",
                "sb-marker",
                "sb-attempt",
                "SB-Attempt",
                "sb-anything",
                "traceparent",
                "TraceState"
            })
    void carriesNoneOfTheHeadersOfBrokerAndLibraries(String name) {
        assertThat(Headers.application(Map.of(name, "value"))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"tenant", "Tenant", "xray", "sbx", "ccc", "a b", "baggage"})
    void carriesTheApplicationsOwn(String name) {
        assertThat(Headers.application(Map.of(name, "value"))).containsExactly(entry(name, "value"));
    }

    @Test
    @SuppressWarnings("JavaUtilDate") // AMQP's timestamp
    void carriesScalarsAndLeavesStructuresBehind() {
        Map<String, Object> wire = new LinkedHashMap<>();
        wire.put("text", "a");
        wire.put("flag", true);
        wire.put("int", 1);
        wire.put("long", 2L);
        wire.put("short", (short) 3);
        wire.put("byte", (byte) 4);
        wire.put("double", 1.5);
        wire.put("float", 2.5f);
        wire.put("decimal", new BigDecimal("1.25"));
        wire.put("date", new Date(0));
        Map<String, Object> all = new LinkedHashMap<>(wire);
        all.put("list", List.of("a"));
        all.put("map", Map.of("a", "b"));
        all.put("bytes", new byte[] {1});

        assertThat(Headers.application(all)).isEqualTo(wire);
    }

    @Test
    void carriesAtMost100() {
        Map<String, Object> wire = new LinkedHashMap<>();
        for (int i = 0; i < 150; i++) {
            wire.put("h" + i, i);
        }

        assertThat(Headers.application(wire)).hasSize(100);
    }

    @Test
    void carriesNoMoreThanTheSizeLimit() {
        Map<String, Object> wire = new LinkedHashMap<>();
        wire.put("small", "a");
        wire.put("large", "x".repeat(40_000));

        assertThat(Headers.application(wire)).containsExactly(entry("small", "a"));
    }

    @Test
    void readsNoTraceContextThatIsNotText() {
        assertThat(Headers.trace(Map.of("traceparent", 7))).isEmpty();
        assertThat(Headers.trace(Map.of("tracestate", "v=1"))).isEmpty();
    }
}
