// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test;

import io.safebunny.test.logs.CapturedLogs;
import io.safebunny.test.logs.CapturedLogsExtension;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.core.annotation.AliasFor;

/**
 * A {@link SpringBootTest} in virtual time, without a broker unless one is {@linkplain #broker asked for}: nothing is handled before the
 * test says {@link BunnyHarness#runUntilIdle}, and seven days pass in milliseconds. Test methods and beans may take a {@link BunnyHarness},
 * and test methods {@link CapturedLogs}.
 *
 * <p>The application uses its own store and {@code DataSource}; without a store it gets an in-memory one, which is logged. {@code
 * safebunny.store.type=memory} in the test's properties replaces its own. It also gets an in-memory broker, and a {@code java.time.Clock},
 * a Spring {@code TaskScheduler} and a {@code Timeline} in virtual time, each of them primary. Each test begins without messages, records
 * and pauses; other state of beans and the application's own database are kept, as in any Spring test. Time continues from test to test.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@SpringBootTest
@ExtendWith({BunnyExtension.class, CapturedLogsExtension.class})
public @interface BunnyTest {

    /** As {@link SpringBootTest#properties()}: {@code "name=value"}. */
    @AliasFor(annotation = SpringBootTest.class)
    String[] properties() default {};

    /** As {@link SpringBootTest#args()}. */
    @AliasFor(annotation = SpringBootTest.class)
    String[] args() default {};

    /** As {@link SpringBootTest#classes()}: the application; by default the one found by searching from the test's package. */
    @AliasFor(annotation = SpringBootTest.class)
    Class<?>[] classes() default {};

    /** As {@link SpringBootTest#webEnvironment()}, but none by default. */
    @AliasFor(annotation = SpringBootTest.class)
    SpringBootTest.WebEnvironment webEnvironment() default SpringBootTest.WebEnvironment.NONE;

    /**
     * The broker to run on. Time is virtual on a real broker too, and the tests are the same: the harness waits for the broker. Delayed
     * messages wait in this process rather than at the broker.
     */
    Broker broker() default Broker.AS_CONFIGURED;

    /** Maximum number of steps before a run counts as endless; a handled message takes one or two. */
    long mostSteps() default 10_000;

    /** Seconds of real time after which a handler counts as hanging, and a message expected from a real broker as lost. */
    int longestStep() default 30;
}
