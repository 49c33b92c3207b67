// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.contest;

import java.util.List;

/** Contests that share connections and queues. */
public interface Section extends AutoCloseable {

    List<Contest> contests() throws Exception;

    @Override
    void close();
}
