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
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** A rule that no broken implementation fails proves nothing, so there is one for each. */
final class ContractBites {

    private final Class<?> contract;
    private final List<Class<?>> broken;
    private final Results results = new Results();

    /**
     * @param kind what the broken ones extend
     * @param groups their enclosing classes
     */
    ContractBites(Class<?> contract, Class<?> kind, Class<?>... groups) {
        this.contract = contract;
        this.broken = Stream.of(groups)
                .<Class<?>>flatMap(group -> Stream.of(group.getDeclaredClasses()))
                .filter(kind::isAssignableFrom)
                .toList();
    }

    /** All at once: they mostly wait. */
    ContractBites run() {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(broken.stream().map(DiscoverySelectors::selectClass).toList())
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
                .configurationParameter("junit.jupiter.execution.parallel.mode.default", "same_thread")
                .configurationParameter("junit.jupiter.execution.parallel.mode.classes.default", "concurrent")
                .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "6")
                .build();
        LauncherFactory.create().execute(request, results);
        return this;
    }

    Stream<DynamicTest> eachFaultIsFoundByTheRuleItBreaksAndByNoOther() {
        return broken.stream()
                .map(fault -> dynamicTest(fault.getSimpleName(), () -> {
                    assertThat(results.run(fault)).containsAll(rules(contract));
                    assertThat(results.failed(fault)).containsExactlyInAnyOrder(brokenRules(fault));
                }));
    }

    /** Each by a fault that breaks no other. But for the rules of the contract that this one extends. */
    void everyRuleIsBroken() {
        List<String> inherited = rules(contract.getSuperclass());
        assertThat(broken.stream()
                        .map(ContractBites::brokenRules)
                        .filter(rules -> rules.length == 1)
                        .map(rules -> rules[0])
                        .distinct())
                .containsExactlyInAnyOrderElementsOf(rules(contract).stream()
                        .filter(rule -> !inherited.contains(rule))
                        .toList());
    }

    private static String[] brokenRules(Class<?> broken) {
        return broken.getAnnotation(Breaks.class).value();
    }

    private static List<String> rules(Class<?> contract) {
        return Stream.of(contract.getMethods())
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
