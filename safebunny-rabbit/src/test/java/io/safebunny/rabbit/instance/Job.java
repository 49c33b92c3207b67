// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.instance;

/**
 * What instances handle.
 *
 * @param id what the ledger knows it by
 * @param kills whether handling it ends the process
 */
public record Job(String id, boolean kills) {}
