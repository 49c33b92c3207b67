// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.repair;

/** Undoes by hand what a participant cannot undo: somebody calls the bank, or carries the goods back. */
@FunctionalInterface
public interface HandWork {

    /**
     * Undoes what the order's step did, if it did anything.
     *
     * @param undo type name of the undo that will never succeed
     */
    void undo(String orderId, String undo);
}
