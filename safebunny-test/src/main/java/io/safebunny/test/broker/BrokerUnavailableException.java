// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

/** A test needs a broker, but there is none or it does not answer; the message says what to do. */
public final class BrokerUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    BrokerUnavailableException(String message) {
        super(message);
    }

    BrokerUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
