// SPDX-License-Identifier: Apache-2.0

/**
 * What a notebook cell says. {@link lsmlab.lab.Lab} is the way in: servers, load, profiles, knees and checks start there; what
 * they return shows itself when it is a cell's last expression.
 */
package lsmlab.lab;
