// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.bodies;

/** A message that is not encrypted. */
record Note(int number, String text) {}
