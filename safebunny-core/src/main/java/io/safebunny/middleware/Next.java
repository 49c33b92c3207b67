// SPDX-License-Identifier: Apache-2.0
package io.safebunny.middleware;

/** The rest of a pipeline. Not running it ends the pipeline here; running it again runs the rest again. */
@FunctionalInterface
public interface Next {

    /** @throws Exception whatever the rest of the pipeline threw */
    void run() throws Exception;
}
