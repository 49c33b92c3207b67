// SPDX-License-Identifier: Apache-2.0
package io.safebunny.middleware;

/** The rest of a pipeline. Not calling {@link #run} ends the pipeline here; calling it again repeats the rest. */
@FunctionalInterface
public interface Next {

    /** @throws Exception whatever the rest of the pipeline threw */
    void run() throws Exception;
}
