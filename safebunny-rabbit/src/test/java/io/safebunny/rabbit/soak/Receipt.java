// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.soak;

/** What the handlers of some orders publish, to their own node. */
record Receipt(int number) {

    /** What the ledger knows it by. */
    static String id(int number) {
        return "receipt-" + number;
    }
}
