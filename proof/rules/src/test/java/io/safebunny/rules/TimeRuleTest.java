// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.Collections;
import java.util.Date;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.Timer;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Exchanger;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class TimeRuleTest {

    private static Set<String> violatingMethods(Class<?> type) {
        JavaClasses types = new ClassFileImporter().importClasses(type);
        Set<String> methods = new TreeSet<>();
        for (String violation : TimeRule.violations(types.stream())) {
            methods.add(violation.replaceFirst(".* <- .*\\.(\\w+)\\(.*", "$1"));
        }
        return methods;
    }

    @Test
    void seesEveryKind() {
        Set<String> all = new TreeSet<>();
        for (JavaMethod method :
                new ClassFileImporter().importClass(Forbidden.class).getMethods()) {
            all.add(method.getName());
        }

        assertThat(violatingMethods(Forbidden.class)).isEqualTo(all);
    }

    @Test
    void allowsWaitingForWhateverTimeItTakes() {
        assertThat(violatingMethods(Allowed.class)).isEmpty();
    }

    /** Each method breaks the rule in a way of its own. */
    @SuppressWarnings("all")
    private static final class Forbidden {

        long nanoTime() {
            return System.nanoTime();
        }

        long currentTimeMillis() {
            return System.currentTimeMillis();
        }

        Supplier<Instant> methodReference() {
            return Instant::now;
        }

        Object now() {
            return ZonedDateTime.now();
        }

        Object systemClock() {
            return Clock.systemUTC();
        }

        Object date() {
            return new Date();
        }

        Object timer() {
            return new Timer(true);
        }

        void sleep() throws Exception {
            Thread.sleep(1);
        }

        void sleepOfAUnit() throws Exception {
            TimeUnit.SECONDS.sleep(1);
        }

        void join(Thread thread) throws Exception {
            thread.join(1);
        }

        void monitor() throws Exception {
            wait(1);
        }

        void park() {
            LockSupport.parkNanos(1);
        }

        void latch(CountDownLatch latch) throws Exception {
            latch.await(1, TimeUnit.SECONDS);
        }

        void semaphore(Semaphore semaphore) throws Exception {
            semaphore.tryAcquire(1, TimeUnit.SECONDS);
        }

        void severalPermits(Semaphore semaphore) throws Exception {
            semaphore.tryAcquire(2, 1, TimeUnit.SECONDS);
        }

        void lock(Lock lock) throws Exception {
            lock.tryLock(1, TimeUnit.SECONDS);
        }

        void condition(Condition condition) throws Exception {
            condition.awaitNanos(1);
        }

        void conditionUntil(Condition condition) throws Exception {
            condition.awaitUntil(new Date(0));
        }

        void future(Future<?> future) throws Exception {
            future.get(1, TimeUnit.SECONDS);
        }

        void timeout(CompletableFuture<?> future) {
            future.orTimeout(1, TimeUnit.SECONDS);
        }

        void delayed() {
            CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);
        }

        void poll(BlockingQueue<String> queue) throws Exception {
            queue.poll(1, TimeUnit.SECONDS);
        }

        void offer(BlockingQueue<String> queue) throws Exception {
            queue.offer("", 1, TimeUnit.SECONDS);
        }

        void exchange(Exchanger<String> exchanger) throws Exception {
            exchanger.exchange("", 1, TimeUnit.SECONDS);
        }

        void termination(ExecutorService executor) throws Exception {
            executor.awaitTermination(1, TimeUnit.SECONDS);
        }

        void invoke(ExecutorService executor, List<Callable<String>> tasks) throws Exception {
            executor.invokeAll(tasks, 1, TimeUnit.SECONDS);
        }

        Object scheduler() {
            return new ScheduledThreadPoolExecutor(1);
        }

        Object madeScheduler() {
            return Executors.newSingleThreadScheduledExecutor();
        }

        Object uuid() {
            return UUID.randomUUID();
        }

        Object threadLocalRandom() {
            return ThreadLocalRandom.current();
        }

        Object random() {
            return new Random();
        }

        Object seeded() {
            return new Random(1);
        }

        Object splittable() {
            return new SplittableRandom();
        }

        Object generator() {
            return RandomGenerator.getDefault();
        }

        Object secure() {
            return new SecureRandom();
        }

        double mathRandom() {
            return Math.random();
        }

        void shuffle(List<String> list) {
            Collections.shuffle(list);
        }
    }

    @SuppressWarnings("all")
    private static final class Allowed {

        Object given(Clock clock, RandomGenerator random) {
            return clock.instant().plusNanos(random.nextLong()).plus(Duration.ZERO);
        }

        void waits(CountDownLatch latch, Semaphore semaphore, Future<?> future, Lock lock) throws Exception {
            latch.await();
            semaphore.acquire();
            future.get();
            lock.tryLock();
            LockSupport.park();
        }

        Object date() {
            return new Date(0);
        }
    }
}
