// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** On servers, which several processes use. */
abstract class SchemaRaceRules extends SchemaCreationRules {

    @Test
    void severalInstancesCreateThemAtOnce() throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        List<Future<?>> instances = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            instances.add(threads.submit(() -> {
                start.await();
                create();
                return true;
            }));
        }
        start.countDown();
        for (Future<?> instance : instances) {
            assertThat(instance.get(30, TimeUnit.SECONDS)).isEqualTo(true);
        }
        assertThat(sql.queryForObject("select count(*) from " + prefix + "step", Integer.class))
                .isZero();
    }
}
