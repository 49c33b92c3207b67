// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static io.safebunny.autoconfigure.actuate.HttpCalls.isProblem;
import static io.safebunny.autoconfigure.actuate.HttpCalls.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.BunnyHandler;
import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.failure.MisuseException;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.Starts;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What stands for the reason in a request that is pasted is no reason. */
@Tag("once")
class ReasonsOverHttpTest {

    record Begin(String id) {}

    @BunnySaga
    static class Trip {
        record State(String id) {}

        @Starts
        @BunnyHandler(from = "shop")
        State on(Begin begin) {
            return new State(begin.id());
        }
    }

    @Test
    void noChangeTakesThePlaceholder() {
        HttpCalls.node()
                .withBean(Trip.class)
                .withPropertyValues("safebunny.scheduling.enabled=true")
                .run(context -> Map.of(
                                "safebunny/sagas/o-1",
                                List.of(
                                        "'action':'retry'",
                                        "'action':'skip','step':'pay'",
                                        "'action':'fail'",
                                        "'action':'resume'",
                                        "'action':'patch','version':1,'state':'{}'"),
                                "safebunny/breakers/Begin",
                                List.of("'state':'open','duration':'1h'", "'state':'closed'"),
                                "safebunny/scheduled/m-1",
                                List.of("'action':'cancel'", "'action':'run'"),
                                "safebunnypoison",
                                List.of(
                                        "'action':'replay','all':true",
                                        "'action':'discard','type':'Begin'",
                                        "'action':'restore','messageId':'m-1'"),
                                "safebunnypoison/m-1",
                                List.of("'action':'replay'", "'action':'edit','copy':'d','body':'{}'"))
                        .forEach((path, changes) -> changes.forEach(change -> isProblem(
                                post(context, path, "{%s,'reason':'REASON'}".formatted(change)),
                                400,
                                "reason=REASON]: it is the placeholder of the example"))));
    }

    /** As a story prints it. */
    @Test
    void aDryRunTakesIt() {
        HttpCalls.node().withBean(Trip.class).run(context -> assertThat(post(
                                context,
                                "safebunnypoison",
                                "{'action':'replay','all':true,'dryRun':true,'reason':'REASON'}")
                        .statusCode())
                .isEqualTo(200));
    }

    @ParameterizedTest
    @ValueSource(strings = {"REASON", " reason ", "<reason>", "YOUR REASON", "\"Reason\"…", "<your-reason>"})
    void isThePlaceholder(String text) {
        assertThatExceptionOfType(MisuseException.class).isThrownBy(() -> Asked.reason(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "the reason is gone", "reasons", "reason 4711", "no reason", "Reason: paid twice"})
    void isNot(String text) {
        assertThat(Asked.reason(text)).isEqualTo(text);
    }
}
