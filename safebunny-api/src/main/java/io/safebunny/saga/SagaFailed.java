// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga;

/**
 * Published once by the saga's node when a saga has failed and every step with an undo has been undone. Dropped if no node
 * listens.
 *
 * @param saga name of the saga
 * @param sagaId id of the instance, which is also the correlation id
 * @param reason what was given to {@link SagaContext#fail}
 */
public record SagaFailed(String saga, String sagaId, String reason) {}
