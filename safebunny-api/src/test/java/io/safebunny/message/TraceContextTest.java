// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceContextTest {

    private static final String PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    @ParameterizedTest
    @ValueSource(
            strings = {
                PARENT,
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
                "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-comes"
            })
    void carriesATraceContext(String parent) {
        assertThat(Headers.trace(Map.of("traceparent", parent))).containsOnly(entry("traceparent", parent));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00",
                "00-a-b-01",
                "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x",
                "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\n",
                "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.more",
                "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-\nforged line",
                " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "${jndi:ldap://example.org/a}${jndi:ldap://example.org/a}a"
            })
    void carriesNothingElse(String parent) {
        assertThat(Headers.trace(Map.of("traceparent", parent, "tracestate", "a=1")))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE",
                "a=1 , b=2\t,,c=3",
                "fw529a3039@dt=FfAAAAAAAAAA;x",
                "0tenant@system=v",
                "a_-*/9=!~ b"
            })
    void carriesTheStateOfVendors(String state) {
        assertThat(traced(state)).containsEntry("tracestate", state);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                ",",
                "a",
                "a=",
                "=1",
                "A=1",
                "1=1",
                "a=1,a=2",
                "a=1=2",
                "a b=1",
                "a@=1",
                "@a=1",
                "a@1=1",
                "a@b@c=1",
                "a@systemmuchtoolong=1",
                "a=é",
                "a=1\nb",
                "a=1\u0000"
            })
    void dropsAnInvalidStateAlone(String state) {
        assertThat(traced(state)).containsOnly(entry("traceparent", PARENT));
    }

    @Test
    void keepsToTheLimitsOfState() {
        String most = IntStream.range(0, 32).mapToObj(i -> "k" + i + "=v").collect(Collectors.joining(","));
        assertThat(traced(most)).containsKey("tracestate");
        assertThat(traced(most + ",one=more")).doesNotContainKey("tracestate");
        assertThat(traced("k".repeat(256) + "=v")).containsKey("tracestate");
        assertThat(traced("k".repeat(257) + "=v")).doesNotContainKey("tracestate");
        assertThat(traced("k=" + "v".repeat(256))).containsKey("tracestate");
        assertThat(traced("k=" + "v".repeat(257))).doesNotContainKey("tracestate");
        assertThat(traced("a=" + "v".repeat(256) + ",b=" + "v".repeat(255))).doesNotContainKey("tracestate");
    }

    private static Map<String, String> traced(String state) {
        return Headers.trace(Map.of("traceparent", PARENT, "tracestate", state));
    }
}
