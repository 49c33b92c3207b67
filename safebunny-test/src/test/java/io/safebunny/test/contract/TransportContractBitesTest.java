// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** A rule that no broken transport fails proves nothing, so there is one for each. */
class TransportContractBitesTest {

    private static final List<Class<?>> BROKEN = Stream.of(
                    BrokenRouting.class,
                    BrokenFidelity.class,
                    BrokenConsuming.class,
                    BrokenPace.class,
                    BrokenDelays.class)
            .<Class<?>>flatMap(group -> Stream.of(group.getDeclaredClasses()))
            .filter(BrokenTransportContract.class::isAssignableFrom)
            .toList();

    private static final Results RESULTS = new Results();

    /** All at once: they mostly wait. */
    @BeforeAll
    static void runTheContractOnAllOfThem() {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(BROKEN.stream().map(DiscoverySelectors::selectClass).toList())
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
                .configurationParameter("junit.jupiter.execution.parallel.mode.default", "same_thread")
                .configurationParameter("junit.jupiter.execution.parallel.mode.classes.default", "concurrent")
                .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "6")
                .build();
        LauncherFactory.create().execute(request, RESULTS);
    }

    @TestFactory
    Stream<DynamicTest> eachFaultIsFoundByTheRuleItBreaksAndByNoOther() {
        return BROKEN.stream()
                .map(broken -> dynamicTest(broken.getSimpleName(), () -> {
                    assertThat(RESULTS.run(broken)).containsAll(rules());
                    assertThat(RESULTS.failed(broken)).containsExactly(brokenRule(broken));
                }));
    }

    @Test
    void everyRuleIsBroken() {
        assertThat(BROKEN.stream().map(TransportContractBitesTest::brokenRule).distinct())
                .containsExactlyInAnyOrderElementsOf(rules());
    }

    private static String brokenRule(Class<?> broken) {
        return broken.getAnnotation(Breaks.class).value();
    }

    private static List<String> rules() {
        return Stream.of(TransportContract.class.getMethods())
                .filter(method -> method.isAnnotationPresent(Test.class))
                .map(Method::getName)
                .toList();
    }

    /** Which test methods ran, and which failed, by class. */
    private static final class Results implements TestExecutionListener {

        private final Map<String, Set<String>> run = new ConcurrentHashMap<>();
        private final Map<String, Set<String>> failed = new ConcurrentHashMap<>();

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (test.getSource().orElse(null) instanceof MethodSource source) {
                add(run, source);
                if (result.getStatus() != Status.SUCCESSFUL) {
                    add(failed, source);
                }
            }
        }

        private static void add(Map<String, Set<String>> results, MethodSource source) {
            results.computeIfAbsent(source.getClassName(), name -> new ConcurrentSkipListSet<>())
                    .add(source.getMethodName());
        }

        Set<String> run(Class<?> broken) {
            return run.getOrDefault(broken.getName(), Set.of());
        }

        Set<String> failed(Class<?> broken) {
            return failed.getOrDefault(broken.getName(), Set.of());
        }
    }
}
