// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.demo;

/** What was asked for cannot be done; the message tells a person why, and holds no password. */
final class UsageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UsageException(String message) {
        super(message);
    }
}
