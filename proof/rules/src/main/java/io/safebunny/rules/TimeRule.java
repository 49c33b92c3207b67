// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rules;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Nobody but core's {@code Timeline} asks the system for the time, waits with a timeout or makes a random number: a simulation decides
 * on all of them. Waiting without a timeout is nobody's decision and allowed. The rule knows the JDK's calls; the timeouts that the client
 * of a remote service keeps itself are that client's.
 */
public final class TimeRule {

    private static final Pattern DIFFERS_FROM_RUN_TO_RUN = Pattern.compile("("
            + "java\\.lang\\.System\\.(currentTimeMillis|nanoTime)\\(.*"
            + "|java\\.time\\.\\w+\\.now\\(.*"
            + "|java\\.time\\.Clock\\.(system|tick).*"
            + "|java\\.util\\.Date\\.<init>\\(\\) .*"
            + "|java\\.util\\.Timer\\.<init>\\(.*"
            + "|java\\.lang\\.Thread\\.(sleep|join)\\(.*"
            + "|java\\.lang\\.Object\\.wait\\(.*"
            + "|java\\.util\\.concurrent\\.locks\\.LockSupport\\.park(Nanos|Until)\\(.*"
            + "|java\\.util\\.concurrent\\.TimeUnit\\.(sleep|timedWait|timedJoin)\\(.*"
            + "|java\\.util\\.concurrent\\.CompletableFuture\\.(orTimeout|completeOnTimeout|delayedExecutor)\\(.*"
            + "|java\\.util\\.concurrent\\.\\S+\\.(await\\w*|try\\w+|get|poll\\w*|offer\\w*|invokeA\\w+|exchange)"
            + "\\((.*, )?(long|java\\.time\\.Duration|java\\.util\\.Date|long, java\\.util\\.concurrent\\.TimeUnit)\\).*"
            + "|java\\.util\\.concurrent\\.ScheduledThreadPoolExecutor\\.<init>\\(.*"
            + "|java\\.util\\.concurrent\\.Executors\\.new\\w*Scheduled\\w*\\(.*"
            + "|java\\.util\\.UUID\\.randomUUID\\(.*"
            + "|java\\.util\\.concurrent\\.ThreadLocalRandom\\..*"
            + "|java\\.util\\.(Splittable)?Random\\.<init>\\(.*"
            + "|java\\.util\\.random\\.RandomGenerator\\.(getDefault|of)\\(.*"
            + "|java\\.security\\.SecureRandom\\.(<init>|getInstance\\w*)\\(.*"
            + "|java\\.util\\.Collections\\.shuffle\\(java\\.util\\.List\\).*"
            + "|java\\.lang\\.Math\\.random\\(.*)");

    private TimeRule() {}

    /** Calls that break it, as {@code owner.method(parameters) <- caller}; method references count as calls. */
    public static Set<String> violations(Stream<JavaClass> types) {
        return types.flatMap(type -> type.getCodeUnits().stream())
                .flatMap(TimeRule::callsOf)
                .filter(call -> DIFFERS_FROM_RUN_TO_RUN.matcher(call).matches())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Stream<String> callsOf(JavaCodeUnit unit) {
        return Stream.concat(
                        Stream.concat(
                                unit.getMethodCallsFromSelf().stream(), unit.getMethodReferencesFromSelf().stream()),
                        Stream.concat(
                                unit.getConstructorCallsFromSelf().stream(),
                                unit.getConstructorReferencesFromSelf().stream()))
                .map(access -> access.getTarget().getFullName() + " <- " + unit.getFullName());
    }
}
