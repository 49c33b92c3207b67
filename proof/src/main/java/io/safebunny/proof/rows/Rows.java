// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows;

import java.util.List;

/** All rows of one command, in the order in which they are printed, and what they share. */
public interface Rows extends AutoCloseable {

    List<Row> all();

    @Override
    void close();
}
