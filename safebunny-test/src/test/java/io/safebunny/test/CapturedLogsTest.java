// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.test.OrderSaga.PlaceOrder;
import io.safebunny.test.OrderSaga.Shipped;
import io.safebunny.test.logs.CaptureLogs;
import io.safebunny.test.logs.CapturedLogs;
import io.safebunny.test.logs.LogLine;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.slf4j.event.Level;

@CaptureLogs
class CapturedLogsTest {

    private static final Logger LOG = LoggerFactory.getLogger(CapturedLogsTest.class);
    private static final String NAME = CapturedLogsTest.class.getName();
    private static final String KEY = "safebunny.correlationId";

    @BeforeEach
    void logsOneLine(CapturedLogs logs) {
        assertThat(logs.all()).isEmpty();
        LOG.error("before {}", "each");
    }

    @Test
    void isOneForEachTest(CapturedLogs logs) {
        assertThat(logs.all()).extracting(LogLine::message).containsExactly("before each");
    }

    @Test
    void isOneForEachTestAgain(CapturedLogs logs) {
        isOneForEachTest(logs);
    }

    @Test
    void aLineHasEverythingThatWasLogged(CapturedLogs logs) {
        IllegalStateException failure = new IllegalStateException("broken");
        try (MDC.MDCCloseable unused = MDC.putCloseable("tenant", "acme")) {
            LOG.error("a {} line", "second", failure);
        }

        assertThat(logs.all().get(1))
                .isEqualTo(new LogLine(
                        Level.ERROR,
                        NAME,
                        "a second line",
                        Map.of("tenant", "acme"),
                        Thread.currentThread().getName(),
                        failure));
        assertThat(logs.toString()).contains("a second line", "before each");
    }

    @Test
    void tellsLinesOfOneSagaFromThoseOfAnother(CapturedLogs logs) {
        for (String saga : new String[] {"order-1", "order-2"}) {
            try (MDC.MDCCloseable unused = MDC.putCloseable(KEY, saga)) {
                LOG.error("of {}", saga);
            }
        }

        assertThat(logs.of("order-1")).extracting(LogLine::message).containsExactly("of order-1");
        assertThat(logs.of("order-3")).isEmpty();
    }

    @Test
    void hearsTheThreadsOfAScenario(CapturedLogs logs) {
        SagaScenario scenario = SagaScenario.of(new OrderSaga())
                .withId("order-7")
                .when("storefront", new PlaceOrder("7", 1))
                .when("carrier", new Shipped("7"));

        assertThat(logs.of("order-7"))
                .anySatisfy(line -> assertThat(line.message()).contains("Message goes to saga-poison"))
                .allSatisfy(line -> assertThat(line.mdc()).containsEntry("safebunny.node", "saga"));
        assertThat(scenario.view().id()).isEqualTo("order-7");
    }

    @Test
    void hearsLowerLevelsWhenToldTo(CapturedLogs logs) {
        LOG.debug("unheard");
        logs.at(NAME, Level.DEBUG);
        LOG.debug("heard");

        assertThat(logs.all()).extracting(LogLine::message).containsExactly("before each", "heard");
    }

    @Test
    void afterwardsEverythingIsAsBefore() {
        Logger deep = LoggerFactory.getLogger(NAME + ".deep");
        int before = appenders();
        CapturedLogs logs = CapturedLogs.start();
        try (logs) {
            logs.at(NAME, Level.WARN).at(NAME + ".deep", Level.TRACE).at(NAME, Level.DEBUG);
            assertThat(deep.isTraceEnabled()).isTrue();
            assertThat(LOG.isDebugEnabled()).isTrue();
        }
        LOG.error("after");
        logs.close();

        assertThat(logs.all()).isEmpty();
        assertThat(appenders()).isEqualTo(before);
        assertThat(deep.isWarnEnabled()).isFalse();
        assertThat(LOG.isWarnEnabled()).isFalse();
    }

    private static int appenders() {
        List<Object> appenders = new ArrayList<>();
        ((ch.qos.logback.classic.Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME))
                .iteratorForAppenders()
                .forEachRemaining(appenders::add);
        return appenders.size();
    }
}
