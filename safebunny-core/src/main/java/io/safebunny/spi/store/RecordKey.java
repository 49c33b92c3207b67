// SPDX-License-Identifier: Apache-2.0
package io.safebunny.spi.store;

/** Identifies the record of one message within the consuming node; the correlation id is the partition. */
public record RecordKey(String correlationId, String messageId) {}
