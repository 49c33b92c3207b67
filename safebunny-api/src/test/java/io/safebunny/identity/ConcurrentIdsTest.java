// SPDX-License-Identifier: Apache-2.0
package io.safebunny.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ConcurrentIdsTest {

    private static final int THREADS = 8;

    static List<IdScheme> schemes() {
        return List.of(new LineageIdScheme(), LineageIdScheme.withSecret(new byte[32]), new MarkerMaskIdScheme());
    }

    @ParameterizedTest
    @MethodSource("schemes")
    void givesTheSameIdsOnAllThreads(IdScheme scheme) throws Exception {
        List<String> expected = ids(scheme);
        CyclicBarrier start = new CyclicBarrier(THREADS);
        Callable<List<String>> task = () -> {
            start.await();
            return ids(scheme);
        };
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<List<String>> found = new ArrayList<>();
            for (Future<List<String>> future : threads.invokeAll(
                    IntStream.range(0, THREADS).mapToObj(thread -> task).toList())) {
                found.add(future.get());
            }
            assertThat(found).hasSize(THREADS).containsOnly(expected);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void givesTheSameIdsInAnotherInstanceOfTheScheme() {
        assertThat(ids(new LineageIdScheme())).isEqualTo(ids(new LineageIdScheme()));
    }

    private static List<String> ids(IdScheme scheme) {
        return IntStream.rangeClosed(1, 500)
                .mapToObj(marker -> scheme.idOf(new Ancestry(
                        "db19dadf-39d7-4529-836d-cb89e97bfb48",
                        "e45168e9-f6be-8373-b4e7-8db02a91fc30",
                        "billing",
                        "PaymentCaptured",
                        Integer.toString(marker),
                        marker)))
                .toList();
    }
}
